"""Finds what the names of a reward function stand for: its own objects, texts, functions.

A name is looked at in all of the module at once, so a name that is bound to one thing here and to
another there is neither.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator

from sandbox.audit.reward.native.tables import (
    BUILTINS,
    ERRORS,
    EVERYWHERE,
    MODULES,
    OF_SANDBOX,
    OF_TRAINER,
)

_FRESH = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant)
# Not `sum`, which gives back what it starts with where there is nothing to add.
_FRESH_CALLS = frozenset(("list", "dict", "set", "sorted", "str", "float", "int", "len"))
_TEXTS = frozenset(("casefold", "lower", "upper", "strip", "lstrip", "rstrip", "replace"))


class Names:
    """The names that a module binds, each with every value that it may have."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {f.name for f in tree.body if isinstance(f, ast.FunctionDef)}
        self.imported = set[str]()
        self.keywords = set[str]()  # of `**kwargs`
        self.bound = dict[str, list[ast.expr | None]]()  # None: from elsewhere
        self._added = defaultdict[str, list[ast.expr | None]](list)  # by `+=`; None: otherwise
        self._defined = Counter[str]()
        self._handled = set[str]()
        for node in ast.walk(tree):
            self._note(node)
        self._made = {name for name, values in self.bound.items() if all(map(_is_fresh, values))}
        self._texts = self._found_texts()

    def problems(self) -> Iterator[str]:
        """Yield the names that could be two things, so that what was looked at is not what runs."""
        known = BUILTINS | ERRORS | set(MODULES) | OF_SANDBOX | self.imported
        for name in {*self.bound, *self._defined}:
            if not name.isascii() or name.startswith("__"):
                yield f"the name {name!a}"
            elif name in known or self._defined[name] + (name in self.bound) > 1:
                yield f"'{name}' means more than one thing"
            elif name in EVERYWHERE:
                yield f"'{name}' is also a builtin's name"
            elif name in OF_TRAINER:
                yield f"'{name}' is an object of the trainer's"

    def is_made_here(self, node: ast.expr) -> bool:
        """Return True for a name that is only ever bound to what the function makes itself."""
        return isinstance(node, ast.Name) and node.id in self._made

    def is_text(self, node: ast.expr | None) -> bool:
        """Return True for what can be nothing but a text."""
        root = _text_root(node)
        return root is True or root in self._texts

    def is_function(self, node: ast.expr) -> bool:
        """Return True for a function that is written out, or None: a call may use nothing else."""
        match node:
            case ast.Lambda() | ast.Constant(value=None):
                return True
            case ast.Name(id=name) if name in self.bound:
                return all(isinstance(value, ast.Lambda) for value in self.bound[name])
            case ast.Name(id=name):
                return name in BUILTINS | ERRORS or name in self.functions
            case _:
                return False

    def is_error(self, node: ast.expr) -> bool:
        """Return True for the name of an exception that was caught."""
        if not isinstance(node, ast.Name):
            return False
        values = self.bound.get(node.id)
        return node.id in self._handled and values is not None and len(values) == 1

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=value):
                self._bind(target, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self._added[name].append(value if isinstance(op, ast.Add) else None)
            case ast.For(target=target) | ast.comprehension(target=target):
                self._bind(target, None)
            case ast.arg(arg=name):
                self.bound.setdefault(name, []).append(None)
            case ast.ExceptHandler(name=str(name)):
                if name not in self._handled:
                    self.bound.setdefault(name, []).append(None)
                self._handled.add(name)
            case ast.FunctionDef(name=name):
                self._defined[name] += 1
            case ast.ImportFrom(names=names):  # those of other modules are refused
                self.imported |= {alias.name for alias in names}
            case _:
                pass
        if isinstance(node, ast.arguments) and node.kwarg is not None:
            self.keywords.add(node.kwarg.arg)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._bind(each, None)

    def _found_texts(self) -> set[str]:
        """Find the names all of whose values are texts, themselves among them (`x = x.strip()`)."""
        found, waiting = set(self.bound), list[str]()
        leaning = defaultdict[str, list[str]](list)
        for name, values in self.bound.items():
            for value in (*values, *self._added[name]):
                root = _text_root(value)
                if isinstance(root, str) and root in found:
                    leaning[root].append(name)
                elif root is not True:
                    waiting.append(name)
        while waiting:
            name = waiting.pop()
            if name in found:
                found.discard(name)
                waiting += leaning[name]
        return found


def _is_fresh(value: ast.expr | None) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in _FRESH_CALLS
        case ast.BinOp(left=left, right=right):
            return _is_fresh(left) and _is_fresh(right)
        case None:
            return False
        case _:
            return isinstance(value, _FRESH)


def _text_root(node: ast.expr | None) -> "str | bool":
    """Return True for a text, the name on whose being one it depends, or False."""
    while True:
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr() | ast.Call(func=ast.Name(id="str")):
                return True
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _TEXTS:
                node = inner
            case ast.Name(id=name):
                return name
            case _:
                return False
