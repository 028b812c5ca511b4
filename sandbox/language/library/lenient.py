"""The dialect of library modules: the guards of a program's, and fewer refusals before it runs.

A library names frames, code objects and pickling in functions that few programs call. What a
program is refused when it is compiled, a library is refused when it gets there: an attribute that
may not be read is asked for by `INSPECTED`, which tells of a program's own function what it takes,
and denies all else; and what may not be bound is bound under another name, where nothing looks for
it. Nothing is allowed that a program may not do.
"""

import ast
import types
from typing import Any

from sandbox.language.compile import names, rewriting
from sandbox.language.compile.compiler import LIBRARY, compile_program
from sandbox.language.compile.dialect import SHAPES, Dialect
from sandbox.language.compile.names import REFUSED
from sandbox.policy.plan import Plan

INSPECTED, DISPLAY, IMPORT = "guard:inspected", "guard:display", "guard:import"
_IMPORTED = frozenset(("__future__", "__main__"))  # modules, which `import` binds
_FIELDS = ("id", "name", "asname", "arg")


class LibraryDialect(Dialect):
    """Refuses at run time what `Dialect` refuses before."""

    def _refuse_attribute(self, node: ast.Attribute) -> None:
        where = rewriting.place(node)
        arguments = [node.value, rewriting.constant(where, node.attr)]
        function = rewriting.load(where, INSPECTED)
        rewriting.become(node, ast.Call, func=function, args=arguments, keywords=[])

    def _store(self, node: ast.Attribute) -> None:
        if names.store_kind(node.attr) == REFUSED:
            node.attr = _other(node.attr)
        else:
            super()._store(node)

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if type(target) is ast.Attribute and target.attr == "__doc__":
            target.ctx = ast.Load()  # what it says is for people; it may be a field of a namedtuple
            rewriting.become(node, ast.Expr, value=node.value)
        else:
            super()._assign(node)

    def _dunder(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            super()._dunder(node)
        elif node.id == "__import__":
            node.id = IMPORT  # of a name that may be of the program's choice: what it may import
        elif not names.may_read_variable(node.id) and node.id not in _IMPORTED:
            node.id = _other(node.id)

    def binding(self, node: Any, name: str | None) -> None:
        """Let `node` bind another name if it may not bind `name`."""
        if name is None or name[:2] != "__" or names.may_bind(name):
            super().binding(node, name)
            return
        for field in _FIELDS:
            if getattr(node, field, None) == name:
                setattr(node, field, _other(name))
                return
        super().binding(node, name)


def _other(name: str) -> str:
    return f"_denied{name}"


def _shapes(kind: type[Dialect], /, **checks: Any) -> None:
    """Let `kind` look at nodes of the kinds named by `checks` in its own way."""
    own = {getattr(ast, name): check for name, check in checks.items()}
    kind.shapes = {node: (own.get(node, shape[0]), *shape[1:]) for node, shape in SHAPES.items()}


_shapes(LibraryDialect, Attribute=LibraryDialect._store, Assign=LibraryDialect._assign)


class ExampleDialect(Dialect):
    """The dialect of a program, for a text that shows what its expressions give, as a prompt."""

    def _shown(self, node: ast.Expr) -> None:
        if len(self._scopes) == 1:
            where = rewriting.place(node)
            node.value = rewriting.call(where, DISPLAY, [node.value])


_shapes(ExampleDialect, Expr=ExampleDialect._shown)


def compile_library(text: str, plan: Plan) -> types.CodeType:
    """Compile the text of a library module. Raises Refused where the dialect has no way out."""
    return compile_program(text, plan, "exec", LIBRARY, LibraryDialect)
