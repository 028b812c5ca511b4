"""Counts of a text: lines, words, letters, the most frequent words, the longest sentence."""

import re
import sys
from collections import Counter
from statistics import mean, median

text = sys.stdin.read()
words = re.findall(r"[a-z']+", text.lower())
sentences = [part.strip() for part in re.split(r"[.!?]+", text) if part.strip()]
letters = Counter(character for character in text.lower() if character.isalpha())
lengths = sorted(map(len, words))

print(f"{'lines':<12}{len(text.splitlines()):>6}")
print(f"{'words':<12}{len(words):>6}")
print(f"{'distinct':<12}{len(set(words)):>6}")
print(f"{'sentences':<12}{len(sentences):>6}")
print(f"{'mean length':<12}{mean(lengths):>6.2f}")
print(f"{'median':<12}{median(lengths):>6}")
print()
for word, count in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))[:6]:
    print(f"{word:<12}{count:>6} {'#' * count}")
print()
for letter, count in letters.most_common(5):
    print(f"{letter}: {count / sum(letters.values()):.1%}")
print()
longest = max(sentences, key=lambda sentence: len(sentence.split()))
print("longest:", " ".join(longest.split()))
