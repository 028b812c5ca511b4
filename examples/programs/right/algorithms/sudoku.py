"""Solves sudokus: fewest candidates first, then backtracking. Input: nine digits a line."""

import sys

sys.setrecursionlimit(5000)


def peers_of(cell):
    row, column = divmod(cell, 9)
    box_row, box_column = row // 3 * 3, column // 3 * 3
    same = {row * 9 + i for i in range(9)} | {i * 9 + column for i in range(9)}
    same |= {(box_row + i) * 9 + box_column + j for i in range(3) for j in range(3)}
    return same - {cell}


PEERS = [peers_of(cell) for cell in range(81)]


class Sudoku:
    def __init__(self, digits):
        self.grid = [int(digit) for digit in digits]
        self.tried = 0

    def candidates(self, cell):
        return set(range(1, 10)) - {self.grid[peer] for peer in PEERS[cell]}

    def solve(self):
        empty = [(len(self.candidates(c)), c) for c in range(81) if not self.grid[c]]
        if not empty:
            return True
        _, cell = min(empty)
        for digit in sorted(self.candidates(cell)):
            self.grid[cell] = digit
            self.tried += 1
            if self.solve():
                return True
        self.grid[cell] = 0
        return False

    def __str__(self):
        lines = []
        for row in range(9):
            digits = self.grid[row * 9 : row * 9 + 9]
            lines.append(" | ".join(" ".join(map(str, digits[i : i + 3])) for i in (0, 3, 6)))
            if row in (2, 5):
                lines.append("------+-------+------")
        return "\n".join(lines)


lines = [line.strip() for line in sys.stdin if line.strip()]
for number in range(len(lines) // 9):
    sudoku = Sudoku("".join(lines[number * 9 : number * 9 + 9]))
    solved = sudoku.solve()
    print(
        f"puzzle {number + 1}: {'solved' if solved else 'no solution'}, {sudoku.tried} digits tried"
    )
    print(sudoku)
