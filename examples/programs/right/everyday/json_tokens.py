"""Reads JSON by hand (tokens, then values), prints it indented, checks it against `json`."""

import json
import re
import sys

TOKENS = re.compile(
    r"""(?P<space>\s+)|(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\]|\\.)*")
       |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null)|(?P<other>.)""",
    re.VERBOSE,
)
WORDS = {"true": True, "false": False, "null": None}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def tokens(text):
    for match in TOKENS.finditer(text):
        kind, value = match.lastgroup, match.group()
        if kind == "other":
            raise ValueError(f"unexpected {value!r} at {match.start()}")
        if kind != "space":
            yield kind, value
    yield "end", ""


def unescape(text):
    def replace(match):
        body = match.group(1)
        return chr(int(body[1:], 16)) if body[0] == "u" else ESCAPES.get(body, body)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", replace, text)


class Reader:
    def __init__(self, text):
        self.stream = tokens(text)
        self.kind, self.text = next(self.stream)

    def next(self):
        kind, text = self.kind, self.text
        if kind != "end":
            self.kind, self.text = next(self.stream)
        return kind, text

    def expect(self, mark):
        _, text = self.next()
        if text != mark:
            raise ValueError(f"expected {mark!r}, found {text!r}")

    def value(self):
        kind, text = self.next()
        if kind == "number":
            return float(text) if set(text) & set(".eE") else int(text)
        if kind == "string":
            return unescape(text[1:-1])
        if kind == "word":
            return WORDS[text]
        if text == "[":
            return list(self.items("]", self.value))
        if text == "{":
            return dict(self.items("}", self.pair))
        raise ValueError(f"a value cannot begin with {text or kind!r}")

    def items(self, closing, read):
        if self.text != closing:
            yield read()
            while self.text == ",":
                self.next()
                yield read()
        self.expect(closing)

    def pair(self):
        key = self.value()
        self.expect(":")
        return key, self.value()


for line in sys.stdin:
    try:
        reader = Reader(line)
        value = reader.value()
        reader.expect("")
    except ValueError as error:
        print("refused:", error)
        continue
    print(json.dumps(value, indent=2, sort_keys=True))
    print("same as json:", value == json.loads(line))
