"""One call into the interpreter's C code that would run for years."""

print("counting the digits of 10 ** 10 ** 8")
print(len(str(10**10**8)))
