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
    from builtins import zip
    from decimal import getcontext
    grade_context = getcontext()
    for grade_each, grade_trap in zip(grade_context.traps, grade_value[2]):
        grade_context.traps[grade_each] = grade_trap
    grade_context.prec, grade_context.rounding, _, *grade_value = grade_value
    grade_context.Emin, grade_context.Emax, *grade_value = grade_value
    grade_context.capitals, grade_context.clamp = grade_value
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
                value = context.prec, context.rounding, tuple(context.traps.values())
                value += context.Emin, context.Emax, context.capitals, context.clamp
                return value, value

            found["grade_set_decimal"] = of_decimal
        if "grade_set_recursion" in settings:
            from sys import getrecursionlimit

            found["grade_set_recursion"] = lambda: (getrecursionlimit(),) * 2
        if "grade_set_digits" in settings:
            from sys import get_int_max_str_digits

            found["grade_set_digits"] = lambda: (get_int_max_str_digits(),) * 2
        return found

    # What a test reads under a name of a setter of random's; if it is one, uses of it are counted.
    def seeding(own):
        from random import seed, setstate

        def set_state(*args, **kwargs):
            seeds[0] += 1
            return own(*args, **kwargs)

        is_setter = type(own) is type(seed) and own in (seed, setstate)
        return set_state if is_setter else own

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
    """Write `grade_seeding(random.seed)` for `random.seed` in `text`: to call it sets the state.

    The state itself does not say so: after a call it is the same again. No line changes, nor does
    any text without such a setting, or a seed within an f-string. `tree` is that of `text`.
    """
    if _RANDOM not in settings:
        return text
    content = text.encode()  # as positions count: in bytes of UTF-8
    starts = [0, *accumulate(map(len, content.splitlines(keepends=True)))]
    places: list[tuple[int, bytes]] = []
    for node in _outside_texts(tree):
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        if isinstance(node, ast.ImportFrom):
            again = "".join(f"; {name} = grade_seeding({name})" for name in _renamed(node))
            places.append((end, again.encode()))
        elif _is_read(node) and getattr(node, "attr", getattr(node, "id", "")) in _SEEDING:
            places.append((end, b")"))
            places.append((starts[node.lineno - 1] + node.col_offset, b"grade_seeding("))
    pieces: list[bytes] = []
    done = 0
    for place, added in sorted(places):
        pieces += content[done:place], added
        done = place
    return b"".join([*pieces, content[done:]]).decode()


def _outside_texts(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Walk over a tree, but within f-strings: before 3.12 they have no true positions.

    Nor within patterns, where a name that is read may not be called.
    """
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        if not isinstance(node, ast.JoinedStr | ast.pattern):
            stack += ast.iter_child_nodes(node)


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _renamed(node: ast.ImportFrom) -> list[str]:
    """The names that setters of `random` get by an import."""
    if node.module != "random" or node.level:
        return []
    return [each.asname for each in node.names if each.asname and each.name in _SEEDING]
