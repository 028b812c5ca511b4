"""A search for a counterexample that does not exist: it never ends."""

number = 1
steps = 0
while number != 0:
    number = number // 2 if number % 2 == 0 else 3 * number + 1
    steps += 1
print("reached zero after", steps)
