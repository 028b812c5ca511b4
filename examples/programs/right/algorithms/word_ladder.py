"""The shortest chain of words that differ in one letter. Input: words, then pairs."""

from collections import deque
from functools import lru_cache
from string import ascii_lowercase

words = frozenset(input().split())


@lru_cache(maxsize=None)
def neighbours(word):
    changed = {
        word[:i] + letter + word[i + 1 :] for i in range(len(word)) for letter in ascii_lowercase
    }
    return sorted((changed & words) - {word})


def ladder(start, goal):
    previous, queue = {start: None}, deque([start])
    while queue:
        word = queue.popleft()
        if word == goal:
            break
        for following in neighbours(word):
            if following not in previous:
                previous[following] = word
                queue.append(following)
    else:
        return None
    chain = []
    while word is not None:
        chain.append(word)
        word = previous[word]
    return chain[::-1]


for _ in range(int(input())):
    first, last = input().split()
    chain = ladder(first, last)
    print(f"{first} to {last}:", " > ".join(chain) if chain else "no way")
print("cache:", neighbours.cache_info())
