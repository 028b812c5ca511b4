"""Primes by a sieve: their number, the largest gap, twins and Goldbach partitions."""

from math import isqrt


def primes_below(limit):
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for candidate in range(2, isqrt(limit - 1) + 1):
        if sieve[candidate]:
            sieve[candidate * candidate :: candidate] = bytes(
                len(range(candidate * candidate, limit, candidate))
            )
    return [number for number, prime in enumerate(sieve) if prime], sieve


def goldbach(number, primes, sieve):
    return [(p, number - p) for p in primes if p <= number // 2 and sieve[number - p]]


limit = int(input())
primes, sieve = primes_below(limit)
gap, after = max((b - a, -a) for a, b in zip(primes, primes[1:]))
print(f"{len(primes)} primes below {limit}, the last is {primes[-1]}")
print(f"largest gap: {gap} after {-after}")
print("twins:", sum(b - a == 2 for a, b in zip(primes, primes[1:])))
for even in map(int, input().split()):
    partitions = goldbach(even, primes, sieve)
    print(f"{even}: {len(partitions)} partitions, first {partitions[0]}, last {partitions[-1]}")
