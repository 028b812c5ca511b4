"""The best value that fits into a knapsack, and what to take. Input: "n capacity", n items."""

import sys
from typing import NamedTuple


class Item(NamedTuple):
    name: str
    weight: int
    value: int


def read_items():
    count, capacity = map(int, input().split())
    items = []
    for _ in range(count):
        name, weight, value = input().split()
        items.append(Item(name, int(weight), int(value)))
    return items, capacity


def best(items, capacity):
    table = [[0] * (capacity + 1)]
    for item in items:
        row = table[-1][:]
        for room in range(item.weight, capacity + 1):
            row[room] = max(row[room], table[-1][room - item.weight] + item.value)
        table.append(row)
    return table


def chosen(items, table, room):
    for index in range(len(items), 0, -1):
        if table[index][room] != table[index - 1][room]:
            yield items[index - 1]
            room -= items[index - 1].weight


items, capacity = read_items()
if not items:
    sys.exit("nothing to pack")
table = best(items, capacity)
take = sorted(
    chosen(items, table, capacity), key=lambda item: item.value / item.weight, reverse=True
)
print("best value:", table[-1][-1])
for item in take:
    print(f"{item.name:<10} weight {item.weight:>3}  value {item.value:>4}")
print("weight used:", sum(item.weight for item in take), "of", capacity)
