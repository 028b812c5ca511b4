"""Shortest paths on a weighted graph. Input: "n m source", then m lines "from to weight"."""

import heapq
import sys
from collections import defaultdict


def read_graph(lines):
    node_count, edge_count, source = map(int, lines[0].split())
    graph = defaultdict(list)
    for line in lines[1 : edge_count + 1]:
        start, end, weight = map(int, line.split())
        graph[start].append((end, weight))
        graph[end].append((start, weight))
    return node_count, source, graph


def dijkstra(source, graph):
    distance, previous = {source: 0}, {}
    queue = [(0, source)]
    while queue:
        reached, node = heapq.heappop(queue)
        if reached > distance[node]:
            continue
        for neighbour, weight in graph[node]:
            candidate = reached + weight
            if candidate < distance.get(neighbour, float("inf")):
                distance[neighbour] = candidate
                previous[neighbour] = node
                heapq.heappush(queue, (candidate, neighbour))
    return distance, previous


def path_to(node, previous):
    path = [node]
    while path[-1] in previous:
        path.append(previous[path[-1]])
    return path[::-1]


def main():
    lines = sys.stdin.read().splitlines()
    node_count, source, graph = read_graph(lines)
    distance, previous = dijkstra(source, graph)
    for node in range(1, node_count + 1):
        if node in distance:
            print(node, distance[node], "via", " -> ".join(map(str, path_to(node, previous))))
        else:
            print(node, "unreachable")


if __name__ == "__main__":
    main()
