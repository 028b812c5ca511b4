"""Texts that a program should print, and everything else that it could print in their place."""

import re
from collections.abc import Iterator
from decimal import Decimal, localcontext
from functools import partial

# What a program should have printed; every one is mutated by `mutated`.
EXPECTED = (
    "42\n",
    "3 4 5\n",
    "1\n2\n3\n",
    "0.5\n",
    "1.5 2.25 -3.0\n",
    "YES\nNO\n",
    "Case 1: 0.5\nCase 2: 1.25\n",
    "[1, 2, 3]\n",
    "50000000000000001\n",
    "123456789012345678901234567890.125\n",
    "1e-7 2E+5\n",
    "inf nan\n",
    "nan\n",
    "0\n",
    "-0.0\n",
    "\n",
    "",
    "a  b\n",
    "True\n",
    "1" + "0" * 5000 + "\n",
    "0." + "3" * 400 + "\n",
    "1_000\n",
    "caf\u00e9 \u0661\u0662\n",
    "1\n\n2\n",
)

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def mutated(text: str) -> Iterator[tuple[str, str]]:
    """Yield what else a program could print, each with the name of the change."""
    line = text.rstrip("\n")
    yield "same", text
    yield "no newline at the end", line
    yield "CRLF", text.replace("\n", "\r\n")
    yield "CR alone", text.replace("\n", "\r")
    yield "blank lines after", text + "\n\n \n"
    yield "blank lines before", "\n \n" + text
    yield "a blank line between", text.replace("\n", "\n\n")
    yield "no blank lines", re.sub(r"\n+", "\n", text)
    yield "spaces at the ends", "  " + line.replace("\n", " \t\n  ") + "  "
    yield "two spaces between", text.replace(" ", "  ")
    yield "tabs between", text.replace(" ", "\t")
    yield "no-break spaces between", text.replace(" ", "\u00a0")
    yield "form feeds between", text.replace(" ", "\f")
    yield "record separators between", text.replace(" ", "\x1e")
    yield "no spaces", text.replace(" ", "")
    yield "one line", line.replace("\n", " ")
    yield "a line for each word", text.replace(" ", "\n")
    yield "upper case", text.upper()
    yield "lower case", text.lower()
    yield "title case", text.title()
    yield "1 for True", text.replace("True", "1")
    yield "a plus sign", _NUMBER.sub(lambda m: "+" + m[0], text)
    yield "a minus sign", _NUMBER.sub(lambda m: "-" + m[0], text)
    yield "a leading zero", _NUMBER.sub(lambda m: "0" + m[0], text)
    yield "a point at the end", _NUMBER.sub(lambda m: m[0] + ".", text)
    yield "places after the point", _NUMBER.sub(_with_places, text)
    yield "no zero before the point", text.replace("0.", ".")
    yield "an exponent of zero", _NUMBER.sub(lambda m: m[0] + "e0", text)
    yield "an exponent", _NUMBER.sub(_with_exponent, text)
    yield "an exponent that none has", _NUMBER.sub(lambda m: m[0] + "e99999999999999999999", text)
    yield "underscores", _NUMBER.sub(lambda m: m[0][0] + "_" + m[0][1:], text)
    for off in ("1e-12", "1e-9", "1e-7", "1e-6", "1e-5", "1e-3", "1"):
        yield f"off by {off}", _NUMBER.sub(partial(_off, off), text)
    yield "as floats", _NUMBER.sub(lambda m: repr(float(m[0])), text)
    yield "as integers", _NUMBER.sub(lambda m: m[0].split(".")[0], text)
    yield "rounded", _NUMBER.sub(lambda m: f"{float(m[0]):.3f}", text)
    yield "a bracket around", f"[{line}]"
    yield "a tuple", line.replace("[", "(").replace("]", ")")
    yield "quoted", repr(line)
    yield "twice", text + text
    yield "a word more", line + " x"
    yield "a number more", line + " 1"
    yield "a word less", line.rsplit(" ", 1)[0]
    yield "a line less", line.rpartition("\n")[0]
    yield "nothing", ""
    yield "a NUL at the end", line + "\0"
    yield "a byte order mark", "\ufeff" + text
    yield "a zero-width space", line + "\u200b"
    yield "not a number", _NUMBER.sub("nan", text)
    yield "a signalling not a number", _NUMBER.sub("sNaN", text)
    yield "infinite", _NUMBER.sub("Infinity", text)
    yield "200,000 zeros after the point", _NUMBER.sub(_with_many_places, text, count=1)
    yield "other digits", text.translate({ord("0") + n: 0x0660 + n for n in range(10)})
    yield "a line of 200,000 words", line + " 1" * 200_000


def _with_places(found: re.Match[str]) -> str:
    return found[0] + ("00" if "." in found[0] else ".00")


def _with_many_places(found: re.Match[str]) -> str:
    return found[0] + ("" if "." in found[0] else ".") + "0" * 200_000


def _with_exponent(found: re.Match[str]) -> str:
    sign, digits = ("-", found[0][1:]) if found[0].startswith("-") else ("", found[0])
    whole, _, places = digits.partition(".")
    return f"{sign}{whole}{places}e-{len(places)}"


def _off(by: str, found: re.Match[str]) -> str:
    with localcontext() as context:
        context.prec = 6000
        return format(Decimal(found[0]) + Decimal(by), "f")
