"""The number of solutions of the n-queens problem, and the first board, for each n of the input."""


def solve(n):
    solutions, first = 0, None
    placed = []

    def place(row, columns, rising, falling):
        nonlocal solutions, first
        if row == n:
            solutions += 1
            if first is None:
                first = list(placed)
            return
        for column in range(n):
            if column in columns or row + column in rising or row - column in falling:
                continue
            placed.append(column)
            place(row + 1, columns | {column}, rising | {row + column}, falling | {row - column})
            placed.pop()

    place(0, frozenset(), frozenset(), frozenset())
    return solutions, first


def draw(board):
    for column in board:
        print("".join("Q" if i == column else "." for i in range(len(board))))


for number in map(int, input().split()):
    count, board = solve(number)
    print(f"{number} queens: {count} solutions")
    if board:
        draw(board)
