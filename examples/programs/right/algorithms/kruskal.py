"""A minimum spanning forest with union-find. Input: "n m", then m lines "from to weight"."""


class DisjointSets:
    def __init__(self, members):
        self.parent = {member: member for member in members}
        self.size = dict.fromkeys(self.parent, 1)

    def find(self, member):
        root = member
        while self.parent[root] != root:
            root = self.parent[root]
        while self.parent[member] != root:
            self.parent[member], member = root, self.parent[member]
        return root

    def union(self, first, second):
        first, second = self.find(first), self.find(second)
        if first == second:
            return False
        if self.size[first] < self.size[second]:
            first, second = second, first
        self.parent[second] = first
        self.size[first] += self.size[second]
        return True


def kruskal(nodes, edges):
    sets = DisjointSets(nodes)
    return [edge for edge in sorted(edges) if sets.union(edge[1], edge[2])], sets


node_count, edge_count = map(int, input().split())
edges = []
for _ in range(edge_count):
    start, end, weight = input().split()
    edges.append((int(weight), start, end))
nodes = sorted({end for _, *ends in edges for end in ends})
assert len(nodes) == node_count, "every node has an edge"
forest, sets = kruskal(nodes, edges)
for weight, start, end in forest:
    print(f"{start} - {end}: {weight}")
trees = {sets.find(node) for node in nodes}
print("total", sum(weight for weight, *_ in forest), "in", len(trees), "trees")
