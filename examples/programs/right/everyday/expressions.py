"""A recursive-descent calculator with variables and functions. Input: one expression a line."""

import math
import re
import sys
from fractions import Fraction

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(.))")
FUNCTIONS = {"sqrt": math.isqrt, "gcd": math.gcd, "abs": abs, "max": max}


class ParseError(Exception):
    def __init__(self, message, position):
        super().__init__(f"{message} at token {position + 1}")
        self.position = position


class Parser:
    def __init__(self, text, variables):
        self.tokens = [
            match.group().strip() for match in TOKEN.finditer(text) if match.group().strip()
        ]
        self.position = 0
        self.variables = variables

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise ParseError(f"expected {expected or 'a value'}, found {token}", self.position)
        self.position += 1
        return token

    def expression(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            value = value * self.factor() if self.take() == "*" else value / self.factor()
        return value

    def factor(self):
        if self.peek() == "-":
            self.take()
            return -self.factor()
        base = self.atom()
        if self.peek() == "^":
            self.take()
            return base ** self.factor()
        return base

    def atom(self):
        token = self.take()
        if token == "(":
            value = self.expression()
            self.take(")")
            return value
        if token[0].isdigit():
            return Fraction(token)
        if token in FUNCTIONS:
            return Fraction(FUNCTIONS[token](*self.arguments()))
        if token in self.variables:
            return self.variables[token]
        raise ParseError(f"unknown name {token}", self.position - 1)

    def arguments(self):
        self.take("(")
        values = [self.expression()]
        while self.peek() == ",":
            self.take()
            values.append(self.expression())
        self.take(")")
        return [int(value) for value in values]

    def statement(self):
        if len(self.tokens) > 1 and self.tokens[1] == "=":
            name, _ = self.take(), self.take("=")
            self.variables[name] = self.expression()
            value = self.variables[name]
        else:
            value = self.expression()
        if self.peek() is not None:
            raise ParseError(f"{self.peek()} is left over", self.position)
        return value


def main():
    variables = {}
    for line in sys.stdin:
        try:
            print(Parser(line, variables).statement())
        except ParseError as error:
            print("error:", error)
        except ZeroDivisionError:
            print("error: division by zero")


main()
