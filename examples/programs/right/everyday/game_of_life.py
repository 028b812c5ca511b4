"""Conway's game of life on a torus. Input: "generations", then the board."""

import sys
from itertools import product

NEIGHBOURS = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]


def step(alive, height, width):
    counts = {}
    for row, column in alive:
        for down, right in NEIGHBOURS:
            cell = (row + down) % height, (column + right) % width
            counts[cell] = counts.get(cell, 0) + 1
    return {cell for cell, count in counts.items() if count == 3 or (count == 2 and cell in alive)}


def show(alive, height, width):
    for row in range(height):
        print("".join("#" if (row, column) in alive else "." for column in range(width)))


generations = int(sys.stdin.readline())
board = sys.stdin.read().split()
height, width = len(board), len(board[0])
alive = {(r, c) for r, line in enumerate(board) for c, mark in enumerate(line) if mark == "#"}
seen = {}
for generation in range(generations + 1):
    state = frozenset(alive)
    if state in seen:
        print(f"generation {generation} repeats generation {seen[state]}")
        break
    seen[state] = generation
    if generation % 40 == 0:
        print(f"generation {generation}: {len(alive)} alive")
        show(alive, height, width)
    alive = step(alive, height, width)
else:
    print(f"no repetition in {generations} generations")
