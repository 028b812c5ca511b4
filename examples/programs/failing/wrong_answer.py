"""A mean of the numbers in the input, wrong for an empty line."""


def mean(values):
    return sum(values) / len(values)


while True:
    line = input("numbers: ")
    print(mean([float(value) for value in line.split()]))
