"""What the last statement of a cell leaves: an expression's value, or the name that it sets."""

import ast

_DEEPEST = 20


def name_set_last(code: str) -> str | None:
    """Return the one variable that the last statement of `code` sets; None if there is none.

    Looks into the bodies of `if`, `for`, `while`, `with` and `try`: the one that each way through
    them sets last. None also where the last statement is an expression, and for what is no program.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = _set_last(body, 0)
    return names.pop() if len(names) == 1 else None


def _set_last(body: list[ast.stmt], depth: int) -> set[str]:
    if not body or depth > _DEEPEST:
        return set()
    last = body[-1]
    if isinstance(last, ast.Expr) and depth:  # as when an `else` ends with a bare name
        return _set_last(body[:-1], depth) if _is_name(last.value) else set()
    if isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {last.name}
    if isinstance(last, ast.Assign):
        return _name(last.targets[-1])
    if isinstance(last, ast.AugAssign) or (
        isinstance(last, ast.AnnAssign) and last.value is not None
    ):
        return _name(last.target)
    if isinstance(last, ast.If | ast.For | ast.While | ast.With | ast.Try):
        bodies = [last.body, getattr(last, "orelse", [])]
        bodies += [handler.body for handler in getattr(last, "handlers", [])]
        return set().union(*(_set_last(each, depth + 1) for each in bodies))
    return set()


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _name(target: ast.expr) -> set[str]:
    return {target.id} if isinstance(target, ast.Name) else set()
