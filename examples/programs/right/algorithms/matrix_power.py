"""Fibonacci numbers and walks in a graph by fast powers of matrices, modulo a prime."""

MODULUS = 1_000_000_007


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        self.size = len(self.rows)

    @classmethod
    def identity(cls, size):
        return cls([[int(i == j) for j in range(size)] for i in range(size)])

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix(
            [sum(a * b for a, b in zip(row, column)) % MODULUS for column in columns]
            for row in self.rows
        )

    def __pow__(self, exponent):
        result, base = Matrix.identity(self.size), self
        while exponent:
            if exponent & 1:
                result = result @ base
            base = base @ base
            exponent >>= 1
        return result

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows

    def __getitem__(self, position):
        i, j = position
        return self.rows[i][j]

    def __str__(self):
        return "\n".join(" ".join(f"{value:>10}" for value in row) for row in self.rows)


step = Matrix([[1, 1], [1, 0]])
for index in map(int, input().split()):
    print(f"F({index}) = {(step**index)[0, 1]} mod {MODULUS}")

nodes, edges, length = map(int, input().split())
adjacency = [[0] * nodes for _ in range(nodes)]
for _ in range(edges):
    start, end = map(int, input().split())
    adjacency[start - 1][end - 1] += 1
    adjacency[end - 1][start - 1] += 1
walks = Matrix(adjacency) ** length
print(f"walks of length {length}:")
print(walks)
print("consistent:", walks @ Matrix(adjacency) == Matrix(adjacency) ** (length + 1))
