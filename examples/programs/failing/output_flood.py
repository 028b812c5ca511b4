"""Debug prints that were left in, in a loop that ends too late."""

for number in range(10_000_000):
    print("checking", number, "of", 10_000_000)
print("done")
