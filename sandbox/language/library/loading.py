"""The import of library modules, in a child, when the program first asks for one of them."""

import types
from collections.abc import Iterable
from typing import Any

from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.compile.compiler import Refused, delegates
from sandbox.language.guards.namespaces import visible
from sandbox.language.guest.context import Context
from sandbox.language.guest.importer import Importer, exact
from sandbox.language.library.lenient import IMPORT, INSPECTED, compile_library
from sandbox.language.library.lent import HOST, inspected
from sandbox.language.library.reading import Text
from sandbox.language.natives.demand import DELEGATING, turn_all

MAIN = "__main__"  # each import of it is the program as it is by then


class LibraryModule(types.ModuleType):
    """A library module as other library modules see it; a program gets a facade with its names."""

    __slots__ = ()
    # A module's own would call a `__getattr__` in its namespace, which is no code of ours.
    __getattribute__ = object.__getattribute__


class Library:
    """The library modules of one child, and the `__import__` of their code.

    `importer` is the program's; the facades that they import beside each other are those that it
    is `lending`. `everything` are the builtins that the language layer supports, in guarded forms.
    """

    def __init__(
        self,
        context: Context,
        importer: Importer,
        texts: dict[str, Text],
        everything: dict[str, Any],
    ) -> None:
        self._context = context
        self._texts = texts
        self._importer = importer
        self._lent = importer.lending.facades
        self._everything = everything
        self._builtins: dict[str, Any] = {}
        self._modules: dict[str, Any] = {}
        self._ready: dict[str, types.CodeType] = {}

    def prepare(self, names: Iterable[str]) -> None:
        """Compile the texts of `names` now, for all children."""
        for name in names:
            self._ready[name] = self._compiled(name, self._texts[name].own)

    def fill(self, name: str, granted: Iterable[str]) -> None:
        """Run the library module `name` and put its `granted` names into the program's facade."""
        module = self._load(name)
        names = vars(module)
        found = {key: names[key] for key in granted if key in names}
        own = {key: value for key, value in found.items() if type(value) is not LibraryModule}
        self._importer.fill(name, own, module)

    def find(
        self,
        name: str,
        globals: Any = None,
        locals: object = None,
        fromlist: Iterable[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Import for library code, as the import statement calls for it."""
        if type(fromlist) is list:
            return None  # C code, see `Importer.find`
        name = exact(name)
        if fromlist:
            fromlist = tuple(map(exact, fromlist))
        if level:
            package = globals["__package__"]
            for _ in range(level - 1):
                package = package.rpartition(".")[0]
            name = f"{package}.{name}" if name else package
        module = self._load(name)
        if not fromlist or name == MAIN:
            return self._load(name.partition(".")[0])
        for item in fromlist:
            if item != "*" and item not in vars(module):
                # Not left to IMPORT_FROM, which falls back on sys.modules.
                if f"{name}.{item}" not in self._texts:
                    raise ImportError(f"cannot import name {item!r} from {name!r}", name=name)
                self._load(f"{name}.{item}")
        return module

    def _find_for_program(self, name: str, /, *rest: Any, **options: Any) -> Any:
        """Import a module whose name is not in the library's text: as the program does."""
        name = exact(name)
        if name == MAIN:
            return self._load(MAIN)
        return self._importer.find(name, *rest, **options)

    def _load(self, name: str) -> Any:
        known = self._modules.get(name)
        if known is not None:
            return known if name != MAIN else vars(known)["module"]()
        if name not in self._texts:
            facade = self._lent.get(name)
            if facade is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return facade
        package, _, child = name.rpartition(".")
        around = self._load(package) if package else None
        module = LibraryModule(name)
        self._modules[name] = module
        try:
            self._run(name, vars(module))
        except BaseException:
            del self._modules[name]
            raise
        if around is not None and type(around) is LibraryModule:
            vars(around)[child] = module
        return module if name != MAIN else vars(module)["module"]()

    def _run(self, name: str, namespace: dict[str, Any]) -> None:
        text = self._texts[name]
        namespace["__builtins__"] = self._builtins or self._settle()
        namespace["__package__"] = name if text.is_package else name.rpartition(".")[0]
        if name in self._lent:
            namespace.update(visible(vars(self._lent[name])))
        for part in (text.before, text.own, text.behind):
            if part:
                if delegates(part):
                    turn_all(DELEGATING)
                evaluate(self._ready.get(name) or self._compiled(name, part), namespace)

    def _compiled(self, name: str, text: str) -> types.CodeType:
        refused = ""
        try:
            return compile_library(text, self._context.plan)
        except Refused as error:
            refused = str(error)
        raise ImportError(f"module {name!r} is not available here: {refused}", name=name)

    def _settle(self) -> dict[str, Any]:
        state = self._context.state
        self._builtins.update(self._everything)
        self._builtins.update(state.builtins)
        self._builtins.update(
            {"__import__": self.find, IMPORT: self._find_for_program, INSPECTED: inspected}
        )
        self._modules[HOST] = self._lent[HOST]
        return self._builtins
