"""Remembers every state of a random walk, in full."""

states = []
board = bytearray(1 << 20)
for move in range(1 << 20):
    board[move % len(board)] ^= 1
    states.append(bytes(board))
print(len(states))
