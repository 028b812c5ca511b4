"""Lists the names that a reward function may use, if it is to run in the trainer, with reasons."""

import builtins
import dataclasses

from sandbox.policy.limits import Limits

# Calls nothing but methods of its arguments' own classes, and changes none of them.
BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bool", "chr", "dict", "enumerate", "float", "int", "isinstance"),
        *("len", "list", "max", "min", "ord", "range", "reversed", "round", "set", "sorted"),
        *("str", "sum", "tuple", "zip"),
    )
)
# Classes only: they are raised, caught, and asked for nothing.
ERRORS = frozenset(
    (
        *("ArithmeticError", "Exception", "IndexError", "KeyError", "LookupError"),
        *("OverflowError", "RecursionError", "TypeError", "ValueError", "ZeroDivisionError"),
    )
)
# What a name is that nothing has bound by then: one that the source binds must not be among them.
EVERYWHERE = frozenset(dir(builtins)) | {"copyright", "credits", "exit", "help", "license", "quit"}
FLAGS = frozenset(
    ("A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "X", "VERBOSE")
)
# Functions of texts and numbers, and numbers. `json.loads` with hooks would call what it is given.
MODULES = {
    "re": FLAGS
    | {
        *("compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split"),
        "sub",
    },
    "math": frozenset(
        (
            *("ceil", "copysign", "cos", "e", "exp", "fabs", "floor", "fsum", "gcd", "inf"),
            *("isclose", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "pi"),
            *("sin", "sqrt", "tan", "tanh", "trunc"),
        )
    ),
    "json": frozenset(("loads", "dumps", "JSONDecodeError")),
}
# How many arguments a function of `re` has before its flags, which are to be written out: one of
# them, a number, prints the pattern.
BEFORE_FLAGS = {"compile": 1, "escape": 1, "split": 3, "sub": 4}
# They ask the sandbox, whatever they are given; other checks see to the policy.
OF_SANDBOX = frozenset(("extract_code", "grade", "grade_many", "restricted_execution"))
# Not `progress`, which prints, and not `workers`, which are threads of the trainer's.
OPTIONS = frozenset(
    (
        *("code", "tests", "completion", "rows", "input_data", "comparator", "early_stop"),
        *("preamble", "policy", *(field.name for field in dataclasses.fields(Limits))),
    )
)
# Methods that read, of texts, matches, dicts and lists. `format` would walk attributes.
READING = frozenset(
    (
        *("casefold", "count", "end", "endswith", "find", "findall", "finditer", "fullmatch"),
        *("get", "group", "groupdict", "groups", "index", "isalnum", "isalpha", "isdecimal"),
        *("isdigit", "islower", "isnumeric", "isspace", "isupper", "items", "keys", "lower"),
        *("lstrip", "match", "partition", "removeprefix", "removesuffix", "rfind", "rindex"),
        *("rpartition", "rsplit", "rstrip", "search", "span", "split", "splitlines", "start"),
        *("startswith", "strip", "title", "upper", "values", "zfill"),
    )
)
# These are also methods of paths, threads and connections: of what was made here, or of a text.
OF_TEXT = frozenset(("join", "replace"))
# These change their receiver, which must have been made by the function itself.
CHANGING = frozenset(("add", "append", "extend", "insert", "pop", "setdefault", "sort", "update"))
# Functions and methods that call their `key`.
CALLING = frozenset(("max", "min", "sort", "sorted"))
# Objects of the trainer's, which are no plain data: contained, a function gets copies of them.
OF_TRAINER = frozenset(
    ("trainer_state", "log_extra", "log_metric", "environments", "args", "state", "control")
)
TYPING = frozenset(
    ("Any", "Callable", "Dict", "Iterable", "List", "Optional", "Sequence", "Tuple", "Union")
)
