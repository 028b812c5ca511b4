"""The texts that stand after a program, or around a test, in a child; and how values cross.

Values of Python cross as plain data: a scalar as itself, anything else as a pair of its kind and
its content. What comes back is made of exact built-in types, so no method of a guest's class runs
where the test is. Each text takes its builtins by an import: the program may have used their names
for variables, and what it did to them changes its own answers only.
"""

import re

from sandbox.grading.tests import AssertTests
from sandbox.grading.usage import stand_alone

EXCHANGE, CALL, BEGIN, REPORT, PASS = (
    "grade_exchange",
    "grade_call",
    "grade_begin",
    "grade_report",
    "grade_passed",
)

# One at the start of a line, which a test harness that imports the program never enters.
# A program is untrusted: what was matched is not given back (`*+`), which keeps this linear in it.
_MAIN = re.compile(
    r"""^if\s*+\(?+\s*+__name__\s*+==\s*+(['"])__main__\1\s*+\)?+\s*+:""", re.MULTILINE
)

_CODEC = """
    from builtins import (
        BaseException, Exception, TypeError, ValueError, bool, bytes, complex, dict, float,
        frozenset, hasattr, hex, int, isinstance, iter, len, list, range, set, str, tuple, type,
    )

    class NotPlain(TypeError):
        pass

    def pack(value):
        kind = type(value)
        if value is None or kind is bool or kind is float or kind is str:
            return value
        if isinstance(value, int):
            return value if -(10**300) < value < 10**300 else ["int", hex(value)]
        for name, base in sequences:
            if isinstance(value, base):
                return [name, [pack(item) for item in base(value)]]
        if isinstance(value, dict):
            return ["dict", [[pack(key), pack(item)] for key, item in dict(value).items()]]
        if isinstance(value, str):
            return "".join(value)
        if isinstance(value, float):
            return value + 0.0
        if kind is complex:
            return ["complex", [value.real, value.imag]]
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind is range:
            return ["range", [value.start, value.stop, value.step]]
        if hasattr(value, "__next__") or hasattr(value, "isdisjoint") or kind is type({}.values()):
            return ["iterator", [pack(item) for item in value]]
        raise NotPlain(f"a value of type {kind.__name__} is no plain data")

    def unpack(data):
        if data is None or type(data) in (bool, int, float, str):
            return data
        kind, content = data
        for name, base in sequences:
            if kind == name:
                return base([unpack(item) for item in content])
        if kind == "dict":
            return {unpack(key): unpack(item) for key, item in content}
        if kind == "int":
            return int(content, 16)
        if kind == "complex":
            return complex(*content)
        if kind == "bytes":
            return bytes.fromhex(content)
        if kind == "range":
            return range(*content)
        if kind == "iterator":
            return iter([unpack(item) for item in content])
        raise ValueError("no such kind")

    sequences = (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset))
"""

# What stands between a program and a text of ours. Whatever the program left open is closed or
# becomes a syntax error: a long string by its own quotes, which are a comment otherwise; a
# decorator, a block, a bracket or a line that goes on, by a statement in the first column.
_SEAM = """
# \"\"\"
# '''
pass
"""

_GUEST = """
grade_names = {{{names}}}


def grade_serve():
{codec}
    found = {{}}
    answer = None
    while True:
        name, args, kwargs = {exchange}(answer)
        try:
            if name not in found:
                found[name] = grade_names[name]()
            value = found[name](*unpack(args), **unpack(kwargs))
        except Exception as error:
            answer = ["raised", type(error).__name__, str(error)[:500]]
            continue
        try:
            answer = ["returned", pack(value), ""]
        except Exception as error:
            answer = ["unusable", type(error).__name__, str(error)[:500]]


grade_serve()
"""

_TEST = """
def grade_run():
{codec}
    import builtins
    from builtins import getattr, issubclass

    class Ended(BaseException):
        pass

    class GuestError(Exception):
        pass

    def stub(name):
        def tested(*args, **kwargs):
            try:
                given = [name, pack(args), pack(kwargs)]
            except NotPlain as error:
                {report}("instances", str(error))
                raise Ended("an argument is no plain data") from None
            kind, content, text = {call}(*given)
            if kind == "raised":
                raised = getattr(builtins, content, None)
                usual = isinstance(raised, type) and issubclass(raised, Exception)
                raise (raised(text) if usual else GuestError(content + ": " + text))
            if kind != "returned":
                raise Ended(text)
            try:
                return unpack(content)
            except Exception:
                raise Ended("the program answered with no value") from None

        return tested

    def one(setup, text, names, candidate):
        stubs = {{name: stub(name) for name in names}}
        if candidate:
            stubs["candidate"] = stubs[candidate]
        scope = dict(stubs)
        try:
            exec(setup, scope)
            scope.update(stubs)
        except BaseException as error:
            return ["broken", type(error).__name__ + ": " + str(error)[:300]]
        try:
            exec(text, scope)
        except AssertionError:
            return ["failed", "AssertionError"]
        except BaseException as error:
            return ["failed", type(error).__name__ + ": " + str(error)[:300]]
        return ["passed", ""]

    while True:
        test = {begin}()
        if test is None:
            return
        {report}(*one(*test))


grade_run()
"""

_ENTRY = """

def grade_entry(*grade_args):
    try:
        grade_class = Solution
    except NameError:
        return {name}(*grade_args)
    return grade_class().{name}(*grade_args)
"""

_SHARED = """
{alias}
{setup}
{text}
{passed}({token!r})
"""


def as_module(code: str) -> str:
    """The program as a test harness has it that imports it: its `__main__` part does not run."""
    return _MAIN.sub("if False:", code)


def with_entry(code: str, name: str) -> str:
    """The program, and a function `grade_entry` that calls `name` or that method of `Solution`."""
    return as_module(code) + _SEAM + _ENTRY.format(name=name)


def with_prompt(code: str, tests: AssertTests) -> str:
    """The program below its prompt, which may be what it continues and may have its imports."""
    if not tests.prefix or "from __future__" in code:
        return as_module(code)
    if _continues(code):
        return as_module(f"{tests.prefix.rstrip()}\n{code}")
    return as_module(f"{stand_alone(tests.prefix).rstrip()}\n\n{code}")


def _continues(code: str) -> bool:
    """True if the first line that says something is indented: it is inside a function."""
    lines = (line for line in code.split("\n") if line.strip())
    return next((line[0] in " \t" for line in lines if line.lstrip()[0] != "#"), False)


def answering(code: str, tests: AssertTests) -> str:
    """The program, answering calls of the tested names until nobody asks any more."""
    names = ", ".join(f"{name!r}: lambda: {name}" for name in tests.names)
    served = _GUEST.format(codec=_CODEC, names=names, exchange=EXCHANGE)
    return with_prompt(code, tests) + _SEAM + served


def sharing(code: str, tests: AssertTests, text: str, token: str) -> str:
    """The program and one test in one process, for values that cannot cross."""
    alias = f"candidate = {tests.candidate}" if tests.candidate else ""
    setup = "" if tests.prefix else tests.setup
    shared = _SHARED.format(alias=alias, setup=setup, text=text, passed=PASS, token=token)
    return with_prompt(code, tests) + _SEAM + shared


# Takes one test after the other, and calls over to the program. No part of the program is in it,
# and it is the same for every row, so that it is compiled once.
TESTING = _TEST.format(codec=_CODEC, call=CALL, begin=BEGIN, report=REPORT)
