"""Is a reward function so plain that it may run in the trainer itself?

An allow-list of constructs, small on purpose: all else runs contained, which costs milliseconds.
What is allowed has its reason beside it. The argument as a whole: the function holds values of
three kinds only: what the trainer gave it, which is read and never called, changed or asked for a
method that is not on the list; what it made itself; and functions on the list. A name means one
thing in the whole module, so that what was looked at is what runs.
"""

import ast
from collections.abc import Iterator
from functools import cached_property

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
# Functions of texts and numbers, and numbers. `json.loads` with hooks would call what it is given.
MODULES = {
    "re": frozenset(
        (
            *("compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split"),
            *("sub", "A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "S", "X"),
            "VERBOSE",
        )
    ),
    "math": frozenset(
        (
            *("ceil", "copysign", "cos", "e", "exp", "fabs", "floor", "fsum", "gcd", "inf"),
            *("isclose", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "pi"),
            *("sin", "sqrt", "tan", "tanh", "trunc"),
        )
    ),
    "json": frozenset(("loads", "dumps", "JSONDecodeError")),
}
# They ask the sandbox, whatever they are given; other checks see to the policy.
OF_SANDBOX = frozenset(("extract_code", "grade", "grade_many", "restricted_execution"))
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
_OF_TEXT = frozenset(("join", "replace"))
# These change their receiver, which must have been made by the function itself.
CHANGING = frozenset(("add", "append", "extend", "insert", "pop", "setdefault", "sort", "update"))
# Objects of the trainer's, which are no plain data: contained, a function gets copies of them.
OF_TRAINER = frozenset(
    ("trainer_state", "log_extra", "log_metric", "environments", "args", "state", "control")
)
_TYPING = frozenset(
    ("Any", "Callable", "Dict", "Iterable", "List", "Optional", "Sequence", "Tuple", "Union")
)
_STATEMENTS = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.If, ast.Expr)
_QUIET = (ast.Pass, ast.Continue, ast.Break, ast.Raise, ast.Try, ast.FunctionDef)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_EXPRESSIONS = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Slice, ast.BinOp),
    *(ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.Lambda),
)
_FRESH = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant)
_FRESH_CALLS = frozenset(("list", "dict", "set", "sorted", "str", "float", "int", "len", "sum"))
_TEXTS = frozenset(("str", "casefold", "lower", "upper", "strip", "lstrip", "rstrip", "replace"))


def reasons_against(tree: ast.Module) -> list[tuple[int, str]]:
    """Why a source is not plain enough, as lines with reasons; nothing if it is."""
    found = sorted(set(_Plain(tree).reasons()))
    return found[:20]


class _Plain:
    """One module, looked at node by node: what is not known to be harmless has a reason."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._functions = {f.name for f in tree.body if isinstance(f, ast.FunctionDef)}
        self._modules = set[str]()
        self._imported = set[str]()  # of `sandbox` and `typing`
        self._bound = dict[str, list[ast.expr | None]]()  # values by name; None: from elsewhere
        self._keywords = {
            node.args.kwarg.arg
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node.args.kwarg is not None
        }

    def reasons(self) -> Iterator[tuple[int, str]]:
        """Each construct, name, call and store that is not on the list."""
        yield from self._imports()
        yield from self._bindings()
        for statement in self._tree.body:
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield from self._statement(statement, at_top=True)

    def _imports(self) -> Iterator[tuple[int, str]]:
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in self._tree.body:
                yield node.lineno, "an import that is not at the top of the module"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname or alias.name not in MODULES:
                        yield node.lineno, f"import of {alias.name}"
                    self._modules.add(alias.name)
            elif isinstance(node, ast.ImportFrom):
                allowed = {"sandbox": OF_SANDBOX, "typing": _TYPING}.get(node.module or "")
                for alias in node.names:
                    if allowed is None or node.level or alias.asname or alias.name not in allowed:
                        yield node.lineno, f"import of {alias.name} from {node.module}"
                    self._imported.add(alias.name)

    def _bindings(self) -> Iterator[tuple[int, str]]:
        """What each name is bound to, and those that would mean two things."""
        for node in ast.walk(self._tree):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, value)
                case ast.AnnAssign(target=target, value=value):
                    self._bind(target, value)
                case ast.For(target=target) | ast.comprehension(target=target):
                    self._bind(target, None)
                case ast.arg(arg=name):
                    self._bound.setdefault(name, []).append(None)
                case ast.ExceptHandler(name=str(name)):
                    self._bound.setdefault(name, []).append(None)
                case _:
                    continue
        known = BUILTINS | ERRORS | set(MODULES) | OF_SANDBOX | self._imported
        defined = [f.name for f in ast.walk(self._tree) if isinstance(f, ast.FunctionDef)]
        for name in {*self._bound, *defined}:
            if not name.isascii() or name.startswith("__"):
                yield 1, f"the name {name!a}"
            elif name in known or defined.count(name) + (name in self._bound) > 1:
                yield 1, f"'{name}' means more than one thing"
            elif name in OF_TRAINER:
                yield 1, f"'{name}' is an object of the trainer's"

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._bound.setdefault(target.id, []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._bind(each, None)

    def _statement(self, node: ast.stmt, *, at_top: bool = False) -> Iterator[tuple[int, str]]:
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
                if not self._is_made_here(target):
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
                    yield from self._expressions([handler.type])
                    yield from self._block(handler.body)
                yield from self._block([*body, *orelse, *finalbody])
            case ast.Raise(exc=error, cause=cause):
                yield from self._expressions([error, cause])
            case ast.Return(value=given):
                yield from self._expressions([given])
            case ast.Expr(value=value):
                yield from self._expression(value)
            case _:
                return

    def _block(self, body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
        for statement in body:
            yield from self._statement(statement)

    def _parameters(self, a: ast.arguments, line: int) -> Iterator[tuple[int, str]]:
        if a.vararg is not None:
            yield line, f"*{a.vararg.arg}"
        yield from self._expressions([*a.defaults, *a.kw_defaults])
        for each in (*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])):
            yield from self._annotation(each.annotation)

    def _annotation(self, node: ast.expr | None) -> Iterator[tuple[int, str]]:
        """It is evaluated: names and subscripts of builtins and `typing` only."""
        known = BUILTINS | (self._imported & _TYPING)
        for each in ast.walk(node) if node is not None else ():
            plain = isinstance(each, (ast.Subscript, ast.Tuple, ast.List, ast.Load, ast.BitOr))
            union = isinstance(each, ast.BinOp) and isinstance(each.op, ast.BitOr)
            if isinstance(each, ast.Name) and each.id in known:
                continue
            if isinstance(each, ast.Constant) and each.value in (None, ...):
                continue
            if not plain and not union:
                yield getattr(each, "lineno", 1), "an annotation that is more than a builtin type"

    def _target(self, node: ast.expr) -> Iterator[tuple[int, str]]:
        match node:
            case ast.Name():
                return
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    yield from self._target(part)
            case ast.Subscript(value=ast.Name() as made, slice=index) if self._is_made_here(made):
                yield from self._expression(index)
            case _:
                yield node.lineno, "a store to what may be the trainer's"

    def _is_made_here(self, node: ast.expr) -> bool:
        """True for a name that is only ever bound to what the function makes itself."""
        return isinstance(node, ast.Name) and node.id in self._made_here

    @cached_property
    def _made_here(self) -> frozenset[str]:
        return frozenset(
            name for name, values in self._bound.items() if all(map(_is_fresh, values))
        )

    def _is_text(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return True
            case ast.Call(func=ast.Name(id="str")):
                return True
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _TEXTS:
                return self._is_text(inner)
            case ast.Name(id=name):
                return name in self._texts
            case _:
                return False

    @cached_property
    def _texts(self) -> frozenset[str]:
        """Names that are only ever bound to texts, of which no other name has part."""
        self._texts = frozenset[str]()  # what is looked at meanwhile
        return frozenset(
            name
            for name, values in self._bound.items()
            if all(value is not None and self._is_text(value) for value in values)
        )

    def _expressions(self, nodes: "list[ast.expr | None]") -> Iterator[tuple[int, str]]:
        for node in nodes:
            if node is not None:
                yield from self._expression(node)

    def _expression(self, node: ast.expr) -> Iterator[tuple[int, str]]:
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
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self._keywords:
                if not _is_column(key):
                    yield node.lineno, f"'{name}' with a key that is not written out"
            case _:
                yield from self._parts(node)

    def _parts(self, node: ast.expr) -> Iterator[tuple[int, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._expression(child)
            elif isinstance(child, ast.comprehension):
                if child.is_async:
                    yield node.lineno, "async for"
                yield from self._target(child.target)
                yield from self._expressions([child.iter, *child.ifs])

    def _name(self, node: ast.Name, name: str) -> Iterator[tuple[int, str]]:
        if name in self._keywords:
            yield node.lineno, f"'{name}' as a whole"
        elif name in self._modules:
            yield node.lineno, f"the module {name} as a value"
        elif name in OF_SANDBOX:
            yield node.lineno, f"{name} as a value"
        elif name not in BUILTINS | ERRORS | self._functions and name not in self._bound:
            yield node.lineno, f"the name '{name}'"

    def _is_of_module(self, node: ast.Attribute) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                return name in self._modules and attr in MODULES.get(name, ())
            case _:
                return False

    def _call(self, node: ast.Call) -> Iterator[tuple[int, str]]:
        if any(word.arg is None for word in node.keywords) or any(
            isinstance(each, ast.Starred) for each in node.args
        ):
            yield node.lineno, "a call with arguments that are not written out"
            return
        given = [*node.args, *(word.value for word in node.keywords)]
        match node.func:
            case ast.Name(id=name) if name in BUILTINS | ERRORS | self._functions:
                pass
            case ast.Name(id=name) if name in OF_SANDBOX and name in self._imported:
                pass
            case ast.Attribute(value=ast.Name(id="json"), attr=attr) if attr in ("loads", "dumps"):
                if node.keywords or "json" not in self._modules:
                    yield node.lineno, f"json.{attr} with options"
            case ast.Attribute() as method if self._is_of_module(method):
                pass
            case ast.Attribute(value=ast.Name(id=name), attr="get") if name in self._keywords:
                if not node.args or not _is_column(node.args[0]):
                    yield node.lineno, f"'{name}' with a key that is not written out"
            case ast.Attribute(value=receiver, attr=attr) if attr in READING:
                yield from self._expression(receiver)
            case ast.Attribute(value=receiver, attr=attr) if attr in _OF_TEXT:
                if not self._is_text(receiver):
                    yield node.lineno, f"{attr} of what may be no text"
                yield from self._expression(receiver)
            case ast.Attribute(value=receiver, attr=attr) if attr in CHANGING:
                if not self._is_made_here(receiver):
                    yield node.lineno, f"{attr} of what may be the trainer's"
            case _:
                yield node.lineno, f"a call of {ast.unparse(node.func)[:60]!a}"
        yield from self._expressions(list(given))


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


def _is_column(key: ast.expr) -> bool:
    return (
        isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value not in OF_TRAINER
    )
