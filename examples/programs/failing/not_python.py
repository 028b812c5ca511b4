"""A program as a model may leave it, cut off in the middle."""


def solve(values):
    for value in values
        print(value)


solve([1, 2, 3])
