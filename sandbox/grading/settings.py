"""Settings of the interpreter that a test makes and a tested program feels, as in one process.

Test and program have a process each. Where a test sets one of these (`random.seed(1)`), the
program's child is told before the next call. What a program sets itself stays with it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

# By the function that the program's child sets it with: the names by which tests set it, and how.
_SETTERS = {
    "grade_set_random": (
        ("seed", "setstate"),
        """
    from random import setstate
    setstate(grade_value)
""",
    ),
    "grade_set_decimal": (
        ("getcontext", "setcontext", "localcontext"),
        """
    from decimal import getcontext
    grade_context = getcontext()
    grade_context.prec, grade_context.rounding, grade_context.Emin, grade_context.Emax = grade_value
""",
    ),
    "grade_set_recursion": (
        ("setrecursionlimit",),
        """
    from sys import setrecursionlimit
    setrecursionlimit(grade_value)
""",
    ),
    "grade_set_digits": (
        ("set_int_max_str_digits",),
        """
    from sys import set_int_max_str_digits
    set_int_max_str_digits(grade_value)
""",
    ),
}
# Of the tests' child: what it watches, and tells the program's before a call.
WATCHING = """
    watched, told = {{}}, {{}}  # how settings are read, and what the program was told last
    seeds = [0]

    # Of what a test may set and a program feels, had they one process: what says that it was set,
    # and its value.
    def readers(settings):
        found = {{}}
        if "grade_set_random" in settings:
            from random import getstate

            found["grade_set_random"] = lambda: (seeds[0], getstate())
        if "grade_set_decimal" in settings:
            from decimal import getcontext

            def of_decimal():
                context = getcontext()
                value = context.prec, context.rounding, context.Emin, context.Emax
                return value, value

            found["grade_set_decimal"] = of_decimal
        if "grade_set_recursion" in settings:
            from sys import getrecursionlimit

            found["grade_set_recursion"] = lambda: (getrecursionlimit(),) * 2
        if "grade_set_digits" in settings:
            from sys import get_int_max_str_digits

            found["grade_set_digits"] = lambda: (get_int_max_str_digits(),) * 2
        return found

    def seeding(own):
        def set_state(*args, **kwargs):
            from random import seed, setstate

            seeds[0] += own in (seed, setstate)
            return own(*args, **kwargs)

        return set_state

    def tell_settings():
        for name, read in watched.items():
            mark, value = read()
            if mark != told[name]:
                told[name], counted[0] = mark, counted[0] + 1
                words = pack([[value], {{}}], [])
                kind, _, text = {call}(counted[0], name, "call", words, False)
                if kind == "ended":
                    raise Ended(text)
"""
_RANDOM = "grade_set_random"
_SEEDING = _SETTERS[_RANDOM][0]
_WORD = re.compile(r"\w+")


def settings_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The settings that `texts` may make, by the names of their setters."""
    words = {word for text in texts for word in _WORD.findall(text)}
    return tuple(name for name, (makers, _) in _SETTERS.items() if words.intersection(makers))


def setters(settings: Iterable[str]) -> str:
    """The functions, for the program's child, that make `settings` there."""
    return "".join(f"\n\ndef {name}(grade_value):{_SETTERS[name][1]}" for name in settings)


def noting_seeds(settings: Iterable[str], text: str, tree: ast.Module) -> str:
    """Write `grade_seeding(random.seed)(1)` for `random.seed(1)` in `text`: the state was set.

    The state itself does not say so: after a call it is the same again. No line changes, nor does
    any text without such a setting, or a seed within an f-string. `tree` is that of `text`.
    """
    if _RANDOM not in settings:
        return text
    content = text.encode()  # as positions count: in bytes of UTF-8
    starts = [0, *accumulate(map(len, content.splitlines(keepends=True)))]
    named = [f for f in _called(tree) if getattr(f, "attr", getattr(f, "id", "")) in _SEEDING]
    places = [(starts[(f.end_lineno or 1) - 1] + (f.end_col_offset or 0), b")") for f in named]
    places += [(starts[f.lineno - 1] + f.col_offset, b"grade_seeding(") for f in named]
    pieces: list[bytes] = []
    done = 0
    for place, added in sorted(places):
        pieces += content[done:place], added
        done = place
    return b"".join([*pieces, content[done:]]).decode()


def _called(tree: ast.AST) -> Iterator[ast.expr]:
    """Walk over what is called, but within f-strings: before 3.12 they have no true positions."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call):
            yield node.func
        if not isinstance(node, ast.JoinedStr):
            stack += ast.iter_child_nodes(node)
