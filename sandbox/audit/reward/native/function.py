"""Is a reward function so plain that it may run in the trainer itself?

An allow-list of constructs, small on purpose: all else runs contained, which costs milliseconds.
What is allowed has its reason in `reward_native_tables`. The argument as a whole: a function holds
values of three kinds only: what the trainer gave it, which is read and never called, changed or
asked for a method that is not on the list; what it made itself; and functions on the list. What is
called is written out where it is called, also where another function calls it. A name means one
thing in the whole module, so that what was looked at is what runs.
"""

import ast
from collections.abc import Iterator

from sandbox.audit.reward.native.calls import is_flags, wrong_arguments
from sandbox.audit.reward.native.names import Names
from sandbox.audit.reward.native.tables import (
    BUILTINS,
    CHANGING,
    ERRORS,
    MODULES,
    OF_SANDBOX,
    OF_TEXT,
    OF_TRAINER,
    READING,
    TYPING,
)
from sandbox.audit.reward.reading.look import shown

_STATEMENTS = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.If, ast.Expr)
_QUIET = (ast.Pass, ast.Continue, ast.Break, ast.Raise, ast.Try, ast.FunctionDef)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_EXPRESSIONS = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Slice, ast.BinOp),
    *(ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.Lambda),
)
_Found = Iterator[tuple[int, str]]


def reasons_against(tree: ast.Module) -> list[tuple[int, str]]:
    """Say why a source is not plain enough, as lines with reasons; empty if it is."""
    found = sorted(set(_Plain(tree).reasons()))
    return found[:20]


class _Plain:
    """One module, looked at node by node: what is not known to be harmless has a reason."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names = Names(tree)
        self._modules = set[str]()
        self._callable = BUILTINS | ERRORS | self._names.functions

    def reasons(self) -> _Found:
        """Yield each construct, name, call and store that is not on the list."""
        yield from self._imports()
        yield from ((1, problem) for problem in self._names.problems())
        for statement in self._tree.body:
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield from self._statement(statement, at_top=True)

    def _imports(self) -> _Found:
        at_top = set(map(id, self._tree.body))
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in at_top:
                yield node.lineno, "an import that is not at the top of the module"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname or alias.name not in MODULES:
                        yield node.lineno, f"import of {alias.name}"
                    self._modules.add(alias.name)
            elif isinstance(node, ast.ImportFrom):
                allowed = {"sandbox": OF_SANDBOX, "typing": TYPING}.get(node.module or "")
                for alias in node.names:
                    if allowed is None or node.level or alias.asname or alias.name not in allowed:
                        yield node.lineno, f"import of {alias.name} from {node.module}"

    def _statement(self, node: ast.stmt, *, at_top: bool = False) -> _Found:
        line = node.lineno
        if not isinstance(node, (*_STATEMENTS, *_QUIET)):
            yield line, f"the statement {type(node).__name__.lower()}"
            return
        match node:
            case ast.FunctionDef():
                if not at_top or node.decorator_list or getattr(node, "type_params", []):
                    yield line, "a function within another, or a decorated one"
                yield from self._parameters(node.args, line)
                yield from self._annotation(node.returns)
                yield from self._block(node.body)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._target(target)
                yield from self._expression(value)
            case ast.AnnAssign(target=target, annotation=annotation, value=given):
                yield from self._target(target)
                yield from self._annotation(annotation)
                yield from self._expressions([given])
            case ast.AugAssign(target=target, op=op, value=value):
                if not isinstance(op, _OPERATORS):
                    yield line, f"the operator {type(op).__name__}"
                if not self._names.is_made_here(target):
                    yield line, "a change of what may be the trainer's"
                yield from self._expression(value)
            case ast.For(target=target, iter=over, body=body, orelse=orelse):
                yield from self._target(target)
                yield from self._expression(over)
                yield from self._block([*body, *orelse])
            case ast.If(test=test, body=body, orelse=orelse):
                yield from self._expression(test)
                yield from self._block([*body, *orelse])
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                for handler in handlers:
                    yield from self._caught(handler)
                    yield from self._block(handler.body)
                yield from self._block([*body, *orelse, *finalbody])
                if any(map(_leaves, finalbody)):
                    yield line, "a finally that drops what was raised"
            case ast.Raise():
                yield from self._raised(node)
            case ast.Return(value=given):
                yield from self._expressions([given])
            case ast.Expr(value=value):
                yield from self._expression(value)
            case _:
                return

    def _caught(self, handler: ast.ExceptHandler) -> _Found:
        """Refuse to catch what ends the trainer: an interrupt is no error of the function's."""
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            known = isinstance(kind, ast.Name) and kind.id in ERRORS
            if not known and not (isinstance(kind, ast.Attribute) and self._is_of_module(kind)):
                yield handler.lineno, "an except without the name of an error"

    def _raised(self, node: ast.Raise) -> _Found:
        """Check what a `raise` names: Python calls a class that is raised."""
        match node.exc:
            case None:
                pass
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in ERRORS:
                yield from self._expression(node.exc)
            case error if not self._names.is_error(error):
                yield node.lineno, "raising what is no error of this file"
        match node.cause:
            case None | ast.Constant(value=None):
                pass
            case cause if not self._names.is_error(cause):
                yield node.lineno, "a cause that was not caught"

    def _block(self, body: list[ast.stmt]) -> _Found:
        for statement in body:
            yield from self._statement(statement)

    def _parameters(self, a: ast.arguments, line: int) -> _Found:
        if a.vararg is not None:
            yield line, f"*{a.vararg.arg}"
        yield from self._expressions([*a.defaults, *a.kw_defaults])
        for each in (*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])):
            yield from self._annotation(each.annotation)

    def _annotation(self, node: ast.expr | None) -> _Found:
        """Check an annotation, which Python evaluates.

        It may have names and subscripts of builtins and `typing` only.
        """
        known = BUILTINS | (self._names.imported & TYPING)
        for each in ast.walk(node) if node is not None else ():
            plain = isinstance(each, (ast.Subscript, ast.Tuple, ast.List, ast.Load, ast.BitOr))
            union = isinstance(each, ast.BinOp) and isinstance(each.op, ast.BitOr)
            if isinstance(each, ast.Name) and each.id in known:
                continue
            if isinstance(each, ast.Constant) and each.value in (None, ...):
                continue
            if not plain and not union:
                yield getattr(each, "lineno", 1), "an annotation that is more than a builtin type"

    def _target(self, node: ast.expr) -> _Found:
        match node:
            case ast.Name():
                return
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    yield from self._target(part)
            case ast.Subscript(value=ast.Name() as made, slice=index) if self._names.is_made_here(
                made
            ):
                yield from self._expression(index)
            case _:
                yield node.lineno, "a store to what may be the trainer's"

    def _expressions(self, nodes: "list[ast.expr | None]") -> _Found:
        for node in nodes:
            if node is not None:
                yield from self._expression(node)

    def _expression(self, node: ast.expr) -> _Found:
        if not isinstance(node, _EXPRESSIONS):
            yield node.lineno, f"the expression {type(node).__name__}"
            return
        match node:
            case ast.Name(id=name):
                yield from self._name(node, name)
            case ast.Attribute():
                if not self._is_of_module(node):
                    yield node.lineno, f"the attribute {node.attr}"
            case ast.Call():
                yield from self._call(node)
            case ast.BinOp(op=op, left=left, right=right):
                if not isinstance(op, _OPERATORS):
                    yield node.lineno, f"the operator {type(op).__name__}"
                yield from self._expressions([left, right])
            case ast.Lambda(args=given, body=body):
                yield from self._parameters(given, node.lineno)
                yield from self._expression(body)
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self._names.keywords:
                if not _is_column(key):
                    yield node.lineno, f"'{name}' with a key that is not written out"
            case _:
                yield from self._parts(node)

    def _parts(self, node: ast.expr) -> _Found:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._expression(child)
            elif isinstance(child, ast.comprehension):
                if child.is_async:
                    yield node.lineno, "async for"
                yield from self._target(child.target)
                yield from self._expressions([child.iter, *child.ifs])

    def _name(self, node: ast.Name, name: str) -> _Found:
        if name in self._names.keywords:
            yield node.lineno, f"'{name}' as a whole"
        elif name in self._modules:
            yield node.lineno, f"the module {name} as a value"
        elif name in OF_SANDBOX:
            yield node.lineno, f"{name} as a value"
        elif name not in self._callable and name not in self._names.bound:
            yield node.lineno, f"the name '{name}'"

    def _is_of_module(self, node: ast.Attribute) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                return name in self._modules and attr in MODULES.get(name, ())
            case _:
                return False

    def _call(self, node: ast.Call) -> _Found:
        if any(word.arg is None for word in node.keywords) or any(
            isinstance(each, ast.Starred) for each in node.args
        ):
            yield node.lineno, "a call with arguments that are not written out"
            return
        given = [*node.args, *(word.value for word in node.keywords)]
        match node.func:
            case ast.Name(id=name) if name in self._callable:
                pass
            case ast.Name(id=name) if name in OF_SANDBOX and name in self._names.imported:
                pass
            case ast.Attribute(value=ast.Name(id="json"), attr=attr) if attr in ("loads", "dumps"):
                if node.keywords or "json" not in self._modules:
                    yield node.lineno, f"json.{attr} with options"
            case ast.Attribute() as method if self._is_of_module(method):
                pass
            case ast.Attribute(value=ast.Name(id=name), attr="get") if name in self._names.keywords:
                if not node.args or not _is_column(node.args[0]):
                    yield node.lineno, f"'{name}' with a key that is not written out"
            case ast.Attribute(value=receiver, attr=attr) if attr in READING:
                yield from self._expression(receiver)
            case ast.Attribute(value=receiver, attr=attr) if attr in OF_TEXT:
                if not self._names.is_text(receiver):
                    yield node.lineno, f"{attr} of what may be no text"
                yield from self._expression(receiver)
            case ast.Attribute(value=receiver, attr=attr) if attr in CHANGING:
                if not self._names.is_made_here(receiver):
                    yield node.lineno, f"{attr} of what may be the trainer's"
            case _:
                yield node.lineno, f"a call of {shown(node.func)!a}"
        yield from ((node.lineno, problem) for problem in wrong_arguments(node, self._names))
        yield from self._expressions([each for each in given if not is_flags(each)])


def _leaves(statement: ast.stmt) -> bool:
    """Return True for what may leave a `finally`, and with it what was raised."""
    leaving = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(node, leaving) for node in ast.walk(statement))


def _is_column(key: ast.expr) -> bool:
    return (
        isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value not in OF_TRAINER
    )
