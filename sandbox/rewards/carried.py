"""Find the names that a loop carries from row to row: it reads them before it binds them.

A name of the loop's counts as bound where every way to it has bound it in the same row. Each
statement is looked at once, and what a branch binds counts behind it only if every branch does.
"""

import ast
from collections.abc import Iterable, Iterator


def stored(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound somewhere in `tree`, in whatever way."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=given):
                yield given or name.partition(".")[0]
            case _:
                continue


def carried(loop: "ast.For | ast.AsyncFor", names: Iterable[str]) -> str:
    """Return a name of `names` that may have another row's value where `loop` reads it; or ""."""
    row = _Row(set(names))
    row.bind(stored(loop.target))
    row.block(loop.body)
    return min(row.late, default="")


class _Row:
    """One pass over a loop's body: what is bound so far, in order, and what was read too early."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._bound, self._order = set[str](), list[str]()
        self.late = set[str]()

    def bind(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._bound:
                self._bound.add(name)
                self._order.append(name)

    def block(self, body: list[ast.stmt]) -> bool:
        """Look at the statements of `body`; return True if its end may be reached."""
        ends = [self._statement(each) for each in body]
        return all(ends)

    def _branch(self, *parts: "list[ast.stmt] | ast.AST | None") -> set[str] | None:
        """Return what a branch binds, not bound from there on; None if its end is never reached."""
        mark, reached = len(self._order), True
        for part in parts:
            if isinstance(part, list):
                reached = self.block(part) and reached
            elif isinstance(part, ast.stmt):
                self._statement(part)
            else:
                self._read(part)
        new = set(self._order[mark:])
        self._bound -= new
        del self._order[mark:]
        return new if reached else None

    def _branches(self, branches: "list[set[str] | None]") -> bool:
        """Bind what each of the branches binds, as one of them was taken."""
        reached = [each for each in branches if each is not None]
        if reached:
            self.bind(set.intersection(*reached))
        return bool(reached)

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Continue() | ast.Break():
                return False
            case ast.Return() | ast.Raise():
                self._parts(node)
                return False
            case ast.Assign(targets=targets, value=value):
                self._read(value)
                for target in targets:
                    self._read(target)
            case ast.AnnAssign(target=target, value=value):
                for part in (value, target if value is not None else None):
                    self._read(part)
            case ast.AugAssign(target=target, value=value):
                self._load(stored(target))
                self._read(value)
                self._read(target)
            case ast.If(test=test, body=body, orelse=orelse):
                self._read(test)
                return self._branches([self._branch(body), self._branch(orelse)])
            case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
                self._read(over)  # it may be empty
                self._branch(target, node.body)
                self._branch(node.orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                self._read(test)
                self._branch(body)
                self._branch(orelse)
            case ast.Try(body=body, orelse=orelse, handlers=handlers, finalbody=last):
                branches = [self._branch(body, orelse)]
                branches += [self._branch(handler.type, handler.body) for handler in handlers]
                return self._branches(branches) and self.block(last)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    self._read(item.context_expr)
                    self._read(item.optional_vars)
                new = self._branch(node.body)  # what it raises may be held back
                if all(map(_holds_nothing_back, items)):
                    return self._branches([new])
            case ast.Match(subject=subject, cases=cases):
                self._read(subject)
                for case in cases:
                    self._branch(case.pattern, case.guard, case.body)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._branch(*ast.iter_child_nodes(node))
                self.bind([name])
            case ast.ClassDef(name=name):
                self._branch(*ast.iter_child_nodes(node))
                self.bind([name])
            case ast.Import() | ast.ImportFrom():
                self.bind(stored(node))
            case ast.Delete():
                self._load(stored(node))
            case ast.Expr() | ast.Assert() | ast.Pass():
                self._parts(node)
            case _:
                self._load(stored(node))
                self._parts(node)
        return True

    def _parts(self, node: ast.AST) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.stmt):
                self._statement(part)
            else:
                self._read(part)

    def _load(self, names: Iterable[str]) -> None:
        self.late |= {name for name in names if name in self._names and name not in self._bound}

    def _read(self, node: "ast.AST | None") -> None:
        """Look at an expression, a pattern or a target in the order in which it is evaluated."""
        match node:
            case None:
                return
            case ast.Name(id=name, ctx=ast.Load()):
                self._load([name])
            case ast.NamedExpr(target=target, value=value):
                self._read(value)
                self._read(target)
            case ast.BoolOp(values=[first, *rest]):
                self._read(first)
                self._branch(*rest)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._read(test)
                self._branch(body)
                self._branch(orelse)
            case ast.Compare(left=left, comparators=[first, *rest]):
                self._read(left)
                self._read(first)
                self._branch(*rest)
            case ast.DictComp(generators=loops):
                self._branch(*loops, node.key, node.value)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._branch(*node.generators, node.elt)
            case ast.comprehension(target=target, iter=over, ifs=tests):
                for part in (over, target, *tests):
                    self._read(part)
            case ast.Lambda():
                self._branch(*ast.iter_child_nodes(node))
            case ast.Name(id=name):
                self.bind([name])
            case _:
                self.bind(_captured(node))
                self._parts(node)


def _captured(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.arg(arg=name):
            yield name
        case _:
            return


def _holds_nothing_back(item: ast.withitem) -> bool:
    match item.context_expr:
        case ast.Call(func=ast.Name(id="Sandbox") | ast.Attribute(attr="Sandbox")):
            return True
        case _:
            return False
