"""The names of the program that a test's text uses. Tests are trusted: they are parsed here."""

import ast
import builtins
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from symtable import SymbolTable, symtable

from sandbox.grading.asserts.parse_cost import is_dear
from sandbox.language.stdlib.catalog import MODULES

_MOST_CHARS = 1 << 24  # as many as a program of tests may have
_REDIRECTING = frozenset(("redirect_stdout", "redirect_stderr"))
_SIMPLE = frozenset(
    (
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "id", "int"),
        *("isinstance", "len", "list", "max", "min", "next", "print", "range", "repr", "reversed"),
        *("round", "set", "sorted", "str", "sum", "tuple", "type"),
    )
)
_PROVIDED = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def check_size(texts: Sequence[str]) -> None:
    """Look whether `texts` can be parsed here at a bounded cost. Raises ValueError if not.

    Texts too long for any program need not be parsed: `is_too_long`.
    """
    if is_dear(texts):
        raise ValueError("tests of too many fields in f-strings, or of too long dotted names")


def is_too_long(texts: Sequence[str]) -> bool:
    """Return True for more than 16 Mi characters: no policy takes a program of so many."""
    return sum(map(len, texts)) > _MOST_CHARS


def imported(trees: Iterable[ast.AST]) -> set[str]:
    """Return the modules that `trees` import."""
    found = set[str]()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def parsed(texts: Iterable[str]) -> list[ast.Module]:
    """Parse each of `texts`, for the other functions here. Raises ValueError if not Python."""
    try:
        return [ast.parse(text) for text in texts]
    except SyntaxError as error:
        raise ValueError(f"a test is not Python: {error}") from None


def free_names(texts: Iterable[str], trees: Sequence[ast.AST]) -> tuple[set[str], set[str]]:
    """Return the names that `texts` use and neither define nor find in builtins, in two sets.

    First what they want of the program, then modules of the standard library that `trees` look
    into, as into `math` in `math.pi`: they rely on the program to have imported these. What a
    module gives them that they import by a star is among neither, unless nothing else is left.
    """
    made, used = set[str](), set[str]()
    for table in (table for text in texts for table in _tables(_table(text))):
        is_module = table.get_type() == "module"
        for symbol in table.get_symbols():
            outside = is_module or symbol.is_declared_global()
            if outside and (symbol.is_assigned() or symbol.is_imported()):
                made.add(symbol.get_name())
            elif symbol.is_global() or is_module:
                used.add(symbol.get_name())
    names = used - made - _PROVIDED
    names = names - _starred(trees) or names  # what is tested may be named like one of these
    modules = set(_looked_into(trees)) & names & sys.stdlib_module_names
    return names - modules, modules


def needs_instances(trees: Iterable[ast.AST], names: Iterable[str]) -> bool:
    """Return True if the tests do more with `names` than call them on plain data.

    That is: they use a name as a value or look into it, or they look into what a call of a name
    written as classes are gave, reckon with it, or pass that on to another of the names, or they
    change what a program prints to or reads from.
    """
    wanted = set(names)
    return any(_uses_instances(tree, wanted) or _changes_streams(tree) for tree in trees)


def _changes_streams(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name in _REDIRECTING or _is_set_in_sys(node):
            return True
    return False


def _is_set_in_sys(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "sys"


def compares_arguments(
    trees: Iterable[ast.AST], names: Iterable[str], *, with_results: bool = False
) -> bool:
    """Return True if tests compare two values that variables passed to `names` have to do with.

    False says that what became of such variables is compared with values of the test's alone.
    `with_results` takes one such value and what any call of `names` gave for two.
    """
    nodes = [node for tree in trees for node in ast.walk(tree)]
    program = {name.split("(")[0].split(".")[0] for name in names}
    calls = [node for node in nodes if isinstance(node, ast.Call) and _is_of(node.func, program)]
    passed = {name for call in calls for argument in _arguments(call) for name in _names(argument)}
    stored = [each for node in nodes for each in _stored(node)]
    for _ in stored:  # what is made of them has to do with them, too
        for targets, values in stored:
            if passed & values:
                passed |= targets
    inside = {id(each) for call in calls for each in ast.walk(call)}
    results = _results(nodes, calls) if with_results else set()
    for node in nodes:
        if isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Is | ast.IsNot):
            sides = [node.left, *node.comparators]
            told = [bool(passed & _names(side)) for side in sides]
            made = [any(id(each) in results for each in ast.walk(side)) for side in sides]
            if sum(told) > 1 or (any(told) and any(made) and sum(map(max, told, made)) > 1):
                return True
        if not isinstance(node, ast.Call) or id(node) in inside or _is_simple(node):
            continue
        if any(passed & _names(argument) for argument in _arguments(node)):
            return True
    return False


def stand_alone(prompt: str) -> tuple[str, ast.Module]:
    """Return `prompt` and its tree, made to parse: a function only begun gets an empty body.

    Empty both, if that does not help.
    """
    for text in (prompt, f"{prompt.rstrip()}\n    pass\n"):
        try:
            return text, ast.parse(text)
        except (SyntaxError, ValueError):
            continue
    return "", ast.Module([], [])


def _results(nodes: list[ast.AST], calls: list[ast.Call]) -> set[int]:
    """Return the ids of `calls`, and of the names that were given what one of them gave."""
    made = {id(call) for call in calls}
    assigned = [node for node in nodes if isinstance(node, (ast.Assign, ast.NamedExpr))]
    kept = [node for node in assigned if any(id(each) in made for each in ast.walk(node.value))]
    names = {name for node in kept for targets, _ in _stored(node) for name in targets}
    return made | {id(node) for node in nodes if isinstance(node, ast.Name) and node.id in names}


def _is_of(function: ast.expr, program: set[str]) -> bool:
    return isinstance(function, ast.Name) and function.id in program


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(node: ast.AST) -> set[str]:
    """Return the names in `node`, except names that are only indices there."""
    if isinstance(node, ast.Name):
        return {node.id}
    children = [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
    return {name for child in children for name in _names(child)}


def _stored(node: ast.AST) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the names that `node` gives a value, and the names that the value is made of."""
    if isinstance(node, ast.Assign):
        yield set().union(*map(_names, node.targets)), _names(node.value)
    elif isinstance(node, ast.NamedExpr):
        yield _names(node.target), _names(node.value)
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield _names(node.target), _names(node.iter)


def _is_simple(call: ast.Call) -> bool:
    """Return True for a function that gives its argument in another form, compared then."""
    return isinstance(call.func, ast.Name) and call.func.id in _SIMPLE


def _uses_instances(tree: ast.AST, wanted: set[str]) -> bool:
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    called = {id(call.func) for call in calls}
    made = {id(call) for call in calls if _makes(call, wanted)}
    held = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and id(node.value) in made
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_instance(node: ast.AST) -> bool:
        return id(node) in made or (isinstance(node, ast.Name) and node.id in held)

    holding = _holding(nodes, is_instance)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in wanted and id(node) not in called:
            return True
        if isinstance(node, ast.Attribute) and is_instance(node.value):
            return True
        if _reckons(node, is_instance):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            takes = any(id(argument) in holding for argument in node.args)
            if takes and node.func.id in wanted:
                return True
    return False


def _reckons(node: ast.AST, is_instance: Callable[[ast.AST], bool]) -> bool:
    """Return True for an operator on an instance, or a look for something in one.

    What functions of data sets give, whose names are written as those of classes are, is compared,
    and a number subtracted from it.
    """
    if isinstance(node, ast.BinOp):
        sides = is_instance(node.left), is_instance(node.right)
        return all(sides) if isinstance(node.op, ast.Sub) else any(sides)
    if isinstance(node, ast.AugAssign):
        return is_instance(node.target) or is_instance(node.value)
    if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn):
        return is_instance(node.comparators[-1])
    return False


def _holding(nodes: Sequence[ast.AST], is_wanted: Callable[[ast.AST], bool]) -> set[int]:
    """Return ids of nodes that are wanted or have such a one below. `nodes`: parents first."""
    found = set[int]()
    for node in reversed(nodes):
        if is_wanted(node) or any(id(child) in found for child in ast.iter_child_nodes(node)):
            found.add(id(node))
    return found


def _makes(call: ast.Call, wanted: set[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in wanted and call.func.id[:1].isupper()


def _table(text: str) -> SymbolTable:
    try:
        return symtable(text, "<test>", "exec")
    except SyntaxError as error:
        raise ValueError(f"a test is not Python: {error}") from None


def _tables(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _starred(trees: Iterable[ast.AST]) -> set[str]:
    """Return the names that `trees` import by a star, of modules that a policy can grant."""
    imports = (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
    modules = {each.module or "" for each in imports if each.names[0].name == "*"}
    return {name for module in modules & MODULES.keys() for name in public_names(module)}


def public_names(module: str) -> list[str]:
    """List the names that `from module import *` binds. Raises ImportError."""
    found = import_module(module)
    every = getattr(found, "__all__", None)
    return list(every) if every is not None else [n for n in vars(found) if n[:1] != "_"]


def _looked_into(trees: Iterable[ast.AST]) -> Iterator[str]:
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield node.value.id
