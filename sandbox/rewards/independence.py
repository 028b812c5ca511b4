"""Does a reward depend on its own row alone? Only then may a batch be split over children.

The answer here is read from the text and errs on the side of "together". What is found to be
independent is still tried on real rows, see `batches`.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from sandbox.audit.reward.reading.entry import Entry
from sandbox.rewards.carried import carried, stored
from sandbox.rewards.kept import CHANGING, Depends, check_kept, check_module
from sandbox.rewards.outliving import check_outliving

_TOGETHER = {"zip", "list", "tuple"}
_MOST_NODES = 2000  # of a function: what is looked at several times grows with their square
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor)


def reason_against(tree: ast.Module, entry: Entry) -> str:
    """Say why the rows of a batch must stay together; empty if no reason was seen."""
    try:
        check_module(tree)
        found = _function(tree, entry)
        if len(list(islice(ast.walk(found), _MOST_NODES))) == _MOST_NODES:
            return "it is too long to be looked through"
        function = _Function(found)
        function.check()
        if reason := check_outliving(tree, [*tree.body, *function.kept]):
            raise Depends(reason)
    except Depends as reason:
        return str(reason)
    return ""


def _function(tree: ast.Module, entry: Entry) -> ast.FunctionDef | ast.AsyncFunctionDef:
    named = [f for f in tree.body if isinstance(f, _FUNCTIONS) and f.name == entry.expression]
    if len(named) != 1 or named[0].decorator_list:
        raise Depends("it is not a plain function of the module")
    return named[0]


class _Function:
    """One reward function: its columns go into loops and nowhere else."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._body = function.body
        a = function.args
        self._columns = {each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
        self._keywords = a.kwarg.arg if a.kwarg is not None else ""
        self._results = set[str]()  # lists that get an item per row
        self._plain = set[str]()  # names for what no row has part in
        self._ever = set[str]()  # names that were a column or a result at some time
        self.kept = list[ast.stmt]()  # what is made before the rows, or called by them
        if a.vararg is not None or {"log_extra", "log_metric"} & self._columns:
            raise Depends("it takes what belongs to the batch as a whole")

    def check(self) -> None:
        """Raise Depends if the function may look at another row."""
        for statement in self._body:
            self._statement(statement)
            self._ever |= self._all()
        for late in self.kept:  # a function looks at names when it is called
            if self._uses(late, self._ever) and not isinstance(late, ast.AnnAssign | ast.Assign):
                raise Depends(f"line {late.lineno} may look at the batch as a whole")
            lambdas = [node for node in ast.walk(late) if isinstance(node, ast.Lambda)]
            if any(self._uses(each, self._ever) for each in lambdas):
                raise Depends(f"line {late.lineno} may look at the batch as a whole")

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Pass():
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assigned(name, value, statement)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assigned(name, value, statement)
            case ast.FunctionDef() if not self._uses(statement, self._columns | self._results):
                self.kept.append(statement)
            case ast.For() | ast.AsyncFor():
                self._loop(statement)
            case ast.Return(value=ast.Name(id=name)) if name in self._results | self._columns:
                return
            case ast.Return(value=ast.expr() as value) if self._is_rows(value):
                return
            case _:
                raise Depends(f"line {statement.lineno} may look at the batch as a whole")

    def _assigned(self, name: str, value: ast.expr, statement: ast.stmt) -> None:
        for known in (self._columns, self._results, self._plain):
            known.discard(name)
        if isinstance(value, ast.List) and not value.elts:
            self._results.add(name)
        elif self._is_rows(value) or self._is_column(value):
            self._columns.add(name)
        elif not self._uses(value, self._all()) and not _changes(value):
            check_kept(value)
            self._plain.add(name)
            self.kept.append(statement)
        else:
            raise Depends(f"line {value.lineno} may look at the batch as a whole")

    def _is_column(self, value: ast.expr) -> bool:
        """Return True for `kwargs["answer"]`, `kwargs.get("answer")`, and another name for one."""
        match value:
            case ast.Name(id=name):
                return name in self._columns
            case (
                ast.Subscript(value=ast.Name(id=name), slice=ast.Constant())
                | ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                    args=[ast.Constant()] | [ast.Constant(), ast.Constant(value=None)],
                )
            ):
                return bool(name) and name == self._keywords
            case ast.BoolOp(op=ast.Or(), values=[first, second]):
                return self._is_column(first) and self._is_rows(second)
            case _:
                return False

    def _is_rows(self, value: ast.expr) -> bool:
        """Return True for an item per row: a comprehension over columns, or one value for each."""
        match value:
            case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[item]), right=length):
                return self._is_length(length) and not self._uses(item, self._all())
            case ast.ListComp(elt=element, generators=[ast.comprehension() as loop]):
                if loop.ifs or loop.is_async or not self._is_row_loop(loop, [element]):
                    return False
                parts = [element]
            case ast.Call(func=ast.Name(id="list"), args=[ast.Call() as inner], keywords=[]):
                return self._is_rows(inner)
            case ast.Call(func=ast.Name(id="map"), args=[mapped, *columns], keywords=[]):
                if not columns or not all(map(self._is_over_rows, columns)):
                    return False
                parts = [mapped]
            case _:
                return False
        return not any(self._uses(part, self._all()) or _changes(part) for part in parts)

    def _is_row_loop(
        self, loop: "ast.For | ast.AsyncFor | ast.comprehension", body: Sequence[ast.AST]
    ) -> bool:
        """Return True for a loop over the rows that does not know how many came before."""
        match loop.iter, loop.target:
            case (
                ast.Call(func=ast.Name(id="enumerate"), args=[inner], keywords=[]),
                ast.Tuple(elts=[ast.Name(id=number), _]),
            ) if not any(_reads(each, number) for each in body):
                return self._is_over_rows(inner)
        return self._is_over_rows(loop.iter)

    def _is_over_rows(self, value: ast.expr) -> bool:
        match value:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                if name not in _TOGETHER or any(word.arg != "strict" for word in keywords):
                    return False
                return bool(args) and all(map(self._is_over_rows, args))
            case _:
                return self._is_column(value) or self._is_rows(value)

    def _is_length(self, value: ast.expr) -> bool:
        match value:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
                return name in self._columns
            case _:
                return False

    def _loop(self, loop: ast.For | ast.AsyncFor) -> None:
        if not self._is_row_loop(loop, loop.body) or loop.orelse:
            raise Depends(f"line {loop.lineno} loops over more than the rows")
        own = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        bound = set(stored(loop)) - own
        if bound & self._all() | bound & self._plain:
            raise Depends(f"the loop in line {loop.lineno} carries something from row to row")
        appended = 0
        for node in _walk_in_order(loop.body):
            match node:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))
                ) if name in self._results:
                    appended += 1
                case ast.Break() | ast.Return() | ast.Yield() | ast.YieldFrom():
                    raise Depends(f"line {node.lineno} ends the loop over the rows")
                case _:
                    continue
        used = sum(self._uses_count(statement) for statement in loop.body)
        if used != appended or self._changes_outer(loop, own | bound):
            raise Depends(f"the loop in line {loop.lineno} looks at more than its row")
        if late := carried(loop, bound):
            raise Depends(f"'{late}' in the loop of line {loop.lineno} may be another row's")

    def _changes_outer(self, loop: ast.For | ast.AsyncFor, inner: set[str]) -> bool:
        for node in ast.walk(loop):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in CHANGING:
                    if name not in inner | self._results:
                        return True
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                    if name not in inner:
                        return True
                case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                    if name not in inner:
                        return True
                case _:
                    continue
        return False

    def _all(self) -> set[str]:
        words = {self._keywords} if self._keywords else set()
        return self._columns | self._results | words

    def _uses_count(self, tree: ast.AST) -> int:
        names = self._all()
        return sum(isinstance(n, ast.Name) and n.id in names for n in ast.walk(tree))

    def _uses(self, tree: ast.AST, names: set[str]) -> bool:
        return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree))


def _changes(value: ast.expr) -> bool:
    """Say whether `value` may change an object that outlives the row, or bind a name beside it."""
    return any(
        isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        or (isinstance(node, ast.Attribute) and node.attr in CHANGING)
        for node in ast.walk(value)
    )


def _walk_in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield all nodes but those within inner loops and functions, which have their own `break`."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, *_LOOPS, ast.While, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _reads(tree: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
