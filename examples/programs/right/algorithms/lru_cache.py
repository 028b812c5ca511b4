"""A cache that forgets what was used least recently. Input: "put key value" and "get key" lines."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass
class Statistics:
    hits: int = 0
    misses: int = 0
    evicted: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        total = self.hits + self.misses
        return self.hits / total if total else 0.0


class LRUCache:
    def __init__(self, capacity: int) -> None:
        if capacity <= 0:
            raise ValueError("a cache holds at least one entry")
        self._capacity = capacity
        self._entries: OrderedDict[str, int] = OrderedDict()
        self.statistics = Statistics()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def get(self, key: str) -> int | None:
        if key not in self._entries:
            self.statistics.misses += 1
            return None
        self.statistics.hits += 1
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, value: int) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self) > self._capacity:
            oldest, _ = self._entries.popitem(last=False)
            self.statistics.evicted.append(oldest)


cache = LRUCache(int(sys.stdin.readline()))
for line in sys.stdin:
    match line.split():
        case ["put", key, value]:
            cache.put(key, int(value))
        case ["get", key]:
            print(key, "=", cache.get(key))
        case other:
            print("not understood:", other)
print(f"{len(cache)} entries, hit ratio {cache.statistics.ratio:.2%}")
print("evicted:", *cache.statistics.evicted)
