"""What a test's text uses of the program that it tests. Tests are trusted: they are parsed here."""

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Sequence
from symtable import SymbolTable, symtable

_PROVIDED = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def free_names(texts: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names that `texts` use and neither define nor find among the builtins, in two sets.

    First what they want of the program, then modules of the standard library that they look into,
    as into `math` in `math.pi`, and rely on the program to have imported. Raises ValueError for a
    text that is not Python.
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
    modules = set(_looked_into(texts)) & names & sys.stdlib_module_names
    return names - modules, modules


def needs_instances(texts: Iterable[str], names: Iterable[str]) -> bool:
    """True if the texts do more with `names` than to call them as functions of plain data.

    That is: they use a name as a value or look into it, or they look into what a call of a name
    written as classes are gave, or pass that on to another of the names.
    """
    wanted = set(names)
    return any(_uses_instances(ast.parse(text), wanted) for text in texts)


def stand_alone(prompt: str) -> str:
    """`prompt`, made to parse: a function that is only begun gets an empty body; else empty."""
    for text in (prompt, f"{prompt.rstrip()}\n    pass\n"):
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        return text
    return ""


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

    for node in nodes:
        if isinstance(node, ast.Name) and node.id in wanted and id(node) not in called:
            return True
        if isinstance(node, ast.Attribute) and is_instance(node.value):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            within = (inner for argument in node.args for inner in ast.walk(argument))
            if node.func.id in wanted and any(map(is_instance, within)):
                return True
    return False


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


def _looked_into(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield node.value.id
