"""Reward functions of a source, and what they want to be called with."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.audit.reward.reading.functions import FUNCTIONS, Function

COMPLETIONS = "completions"
# What TRL passes beside the columns of the data set (GRPOTrainer._calculate_rewards, 1.16).
TRAINER_ARGUMENTS = frozenset(
    ("prompts", COMPLETIONS, "completion_ids", "trainer_state", "log_extra", "log_metric")
)
_DEEPEST = 10  # bases of bases
_BLOCKS = (ast.If, ast.Try, ast.With)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One reward function: how it is written, what it declares, and which columns it reads."""

    name: str
    expression: str
    line: int
    parameters: tuple[str, ...] | None  # None: it takes every keyword
    columns: tuple[str, ...]
    required: tuple[str, ...]  # of the columns those without a default
    positional: bool = False  # its first parameter is not called completions
    asynchronous: bool = False


def entries(tree: ast.Module, name: str | None = None) -> list[Entry]:
    """Return the reward functions of a module, or the one that is called `name`.

    A function that another function of the module uses is a helper, if any other is left.
    """
    found = list(_candidates(tree, name))
    if name is not None:
        return [entry for entry in found if entry.name == name][-1:]
    used = _used_in_functions(tree)
    return [entry for entry in found if entry.name not in used] or found[-1:]


def _candidates(tree: ast.Module, name: str | None) -> Iterator[Entry]:
    known = _Functions(tree)
    functions, classes = known.functions, known.classes
    made: set[str] = set()
    bases = {base.id for c in classes.values() for base in c.bases if isinstance(base, ast.Name)}
    columns = _columns(tree)
    late: list[Entry] = []
    for statement in _statements(tree.body):
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                public = known.is_reward(statement) and not statement.name.startswith("_")
                if public or statement.name == name:
                    yield _entry(statement.name, statement.name, statement, statement, columns)
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value)
            ):
                maker = _maker(value)
                function = known.made_by(value)
                if function is not None:
                    made.add(maker)
                    yield _entry(target, target, statement, function, columns)
    for maker, node in {**functions, **classes}.items():
        function = known.inner(node)
        taken = maker in made or maker.startswith("_") or maker in bases
        if function is None or taken or (isinstance(node, FUNCTIONS) and known.is_reward(node)):
            continue
        if _needs_nothing(node):
            late.append(_entry(maker, f"{maker}()", node, function, columns))
    yield from late


def _entry(
    name: str, expression: str, at: ast.AST, function: Function, columns: tuple[str, ...]
) -> Entry:
    a = function.args
    declared = [each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    if declared[:1] in (["self"], ["cls"]):
        declared = declared[1:]
    optional = TRAINER_ARGUMENTS | {"self", "cls"}
    wanted = dict.fromkeys([*(each for each in declared if each not in optional), *columns])
    positional = COMPLETIONS not in declared and bool(declared) and not _reads_keyword(function)
    if positional:
        wanted.pop(declared[0], None)
    return Entry(
        name=name,
        expression=expression,
        line=getattr(at, "lineno", 1),
        parameters=None if a.kwarg is not None else tuple(declared),
        columns=tuple(wanted),
        required=tuple(name for name in wanted if name not in _optional(function)),
        positional=positional,
        asynchronous=isinstance(function, ast.AsyncFunctionDef),
    )


def _is_reward(function: Function) -> bool:
    a = function.args
    names = [each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return COMPLETIONS in names or _reads_keyword(function)


def _reads_keyword(function: Function) -> bool:
    """Return True for `def f(**kwargs): completions = kwargs["completions"]`."""
    keywords = {function.args.kwarg.arg} if function.args.kwarg is not None else set()
    return COMPLETIONS in _keys_read(function, keywords)


class _Functions:
    """The functions and classes of a module by name. Each is looked through once."""

    def __init__(self, tree: ast.Module) -> None:
        named = list(_statements(tree.body))
        self.functions = {f.name: f for f in named if isinstance(f, FUNCTIONS[:2])}
        self.classes = {c.name: c for c in named if isinstance(c, ast.ClassDef)}
        self._rewards: dict[int, bool] = {}
        self._inner: dict[int, Function | None] = {}

    def is_reward(self, function: Function) -> bool:
        """Return True if it takes completions."""
        if id(function) not in self._rewards:
            self._rewards[id(function)] = _is_reward(function)
        return self._rewards[id(function)]

    def made_by(self, value: ast.expr) -> Function | None:
        """Return the function that an assigned expression is, or makes."""
        if isinstance(value, ast.Lambda):
            return value if self.is_reward(value) else None
        if not isinstance(value, ast.Call):
            return None
        maker = _maker(value)
        for name in [maker, *(arg.id for arg in value.args if isinstance(arg, ast.Name))]:
            if name in self.classes:
                return self.inner(self.classes[name])
            function = self.functions.get(name)
            if function is not None and name == maker:
                return self.inner(function)
            if function is not None and self.is_reward(function):  # partial(f, ...), decorate(f)
                return function
        return None

    def inner(self, node: Function | ast.ClassDef, depth: int = 0) -> Function | None:
        """Return the reward function in a factory, or the `__call__` of a class or of its bases."""
        if id(node) not in self._inner and depth < _DEEPEST:
            self._inner[id(node)] = None  # as a base of itself
            self._inner[id(node)] = self._find_inner(node, depth)
        return self._inner.get(id(node))

    def _find_inner(self, node: Function | ast.ClassDef, depth: int) -> Function | None:
        for each in ast.walk(node):
            if each is node or not isinstance(each, FUNCTIONS) or not self.is_reward(each):
                continue
            if not isinstance(node, ast.ClassDef) or getattr(each, "name", "") == "__call__":
                return each
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            known = self.classes.get(base.id) if isinstance(base, ast.Name) else None
            found = None if known is None else self.inner(known, depth + 1)
            if found is not None:
                return found
        return None


def _maker(value: ast.expr) -> str:
    func = value.func if isinstance(value, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else ""


def _needs_nothing(node: Function | ast.ClassDef) -> bool:
    if isinstance(node, ast.ClassDef):
        inits = [f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
        return not inits or _required(inits[0]) <= 1
    return _required(node) == 0


def _optional(function: Function) -> set[str]:
    a = function.args
    plain = [*a.posonlyargs, *a.args]
    names = {each.arg for each in plain[len(plain) - len(a.defaults) :]}
    pairs = zip(a.kwonlyargs, a.kw_defaults, strict=True)
    return names | {each.arg for each, default in pairs if default is not None}


def _required(function: Function) -> int:
    a = function.args
    keywords = sum(default is None for default in a.kw_defaults)
    return len(a.posonlyargs) + len(a.args) - len(a.defaults) + keywords


def _columns(tree: ast.Module) -> tuple[str, ...]:
    keywords = {
        node.args.kwarg.arg
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and node.args.kwarg is not None
    }
    read = _keys_read(tree, keywords)
    return tuple(name for name in read if name not in TRAINER_ARGUMENTS)


def _keys_read(tree: ast.AST, keywords: set[str]) -> list[str]:
    """Return the constant keys that are read from one of the variables `keywords`."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get" | "pop"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                pass
            case ast.Compare(
                left=ast.Constant(value=str(key)), ops=[ast.In()], comparators=[ast.Name(id=name)]
            ):
                pass
            case _:
                continue
        if name in keywords:
            found[key] = None
    return list(found)


def _used_in_functions(tree: ast.Module) -> set[str]:
    used = set()
    for node in _statements(tree.body):
        if isinstance(node, (*FUNCTIONS[:2], ast.ClassDef)):
            names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
            used |= {name.id for name in names if name.id != node.name}
    return used


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, _BLOCKS):
            yield from _statements(statement.body)
            yield from _statements(getattr(statement, "orelse", []))
