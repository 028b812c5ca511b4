"""A pipeline of generators that sorts measurements into bins. Input: "sensor value" lines."""

import sys
from collections import defaultdict
from itertools import groupby, islice


def parsed(lines):
    for number, line in enumerate(lines, start=1):
        sensor, _, value = line.strip().partition(" ")
        try:
            yield sensor, float(value)
        except ValueError:
            print(f"line {number} skipped: {line.strip()!r}")


def smoothed(readings, width):
    recent = defaultdict(list)
    for sensor, value in readings:
        window = recent[sensor]
        window.append(value)
        del window[:-width]
        yield sensor, sum(window) / len(window)


def counter(size):
    bins = defaultdict(int)
    while True:
        value = yield dict(sorted(bins.items()))
        if value is not None:
            bins[int(value // size) * size] += 1


def summary():
    per_sensor = {}
    try:
        while True:
            sensor, value = yield
            if sensor not in per_sensor:
                per_sensor[sensor] = counter(5)
                next(per_sensor[sensor])
            per_sensor[sensor].send(value)
    finally:
        for sensor in sorted(per_sensor):
            bins = next(per_sensor[sensor])
            print(sensor, *(f"[{low}..{low + 5}) x{count}" for low, count in bins.items()))


collected = []
sink = summary()
next(sink)
for reading in smoothed(parsed(sys.stdin), width=3):
    collected.append(reading)
    sink.send(reading)
sink.close()

ordered = sorted(collected)
for sensor, group in groupby(ordered, key=lambda pair: pair[0]):
    values = [value for _, value in group]
    print(f"{sensor}: min {values[0]:.2f}, max {values[-1]:.2f}, of {len(values)}")
print(
    "lowest three:",
    *(f"{value:.2f}" for _, value in islice(sorted(ordered, key=lambda p: p[1]), 3)),
)
