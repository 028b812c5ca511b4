"""Modules of a program's own: files of its tree, each compiled under the policy as the program is.

They are looked for below the working directory and what `sys.path` names, by name alone. A file
never stands for a module that the policy grants, but where the caller itself gave the job that file
and CPython would prefer it, too.
"""

import sys
import types
from collections.abc import Iterable
from typing import Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.language.compile.names import is_dunder, may_bind, may_read_variable
from sandbox.language.guest.ends.denials import denied_import_name
from sandbox.language.guest.files.tree import WORKING_DIRECTORY, Node
from sandbox.language.guest.module_objects import has_ended, made, name_of, vars_of
from sandbox.language.guest.module_texts import compiled
from sandbox.language.guest.state import GuestState

_MAY_SHADOW = sys.version_info >= (3, 14)  # what that version says of a script's own directory

# Modules that CPython has loaded by the time a program begins, so that no file stands for them.
LOADED = frozenset(
    (
        *("abc", "codecs", "encodings", "genericpath", "io", "os", "posixpath", "site", "stat"),
        *("zipimport", "sandbox", *sys.builtin_module_names),
    )
)

Module = types.ModuleType


class OwnModules:
    """The modules of one program, by name."""

    def __init__(self, state: GuestState) -> None:
        self._state = state
        self.loaded: dict[str, Module] = {}
        self._begun: set[str] = set()  # whose code has not ended
        self._by_namespace: dict[int, str] = {}
        self._packages: dict[str, str] = {}  # the directory of each package
        self.preferred: frozenset[str] = frozenset()
        state.forgetting.append(self.clear)

    def clear(self) -> None:
        """Forget all."""
        for each in (self.loaded, self._begun, self._by_namespace, self._packages):
            each.clear()

    def prefer(self, given: Iterable[str]) -> None:
        """Note which modules the files of a job are, as the caller gave them."""
        files = (name.partition("/")[0] for name in given if name.endswith(".py"))
        names = {name.removesuffix(".py") for name in files}
        self.preferred = frozenset(name for name in names if not _is_loaded(name))

    # -- names

    def absolute(self, name: str, namespace: Any, level: int) -> str:
        """Return the whole name of what a relative import means in code with that `namespace`."""
        own = self._by_namespace.get(id(namespace), "")
        package = own if own in self._packages else own.rpartition(".")[0]
        if not package:
            raise ImportError("attempted relative import with no known parent package")
        return joined_name(name, package, level)

    def find(self, name: str) -> Module | None:
        """Return the module `name`, loaded now if need be; None if there is no file for its root.

        Raises what its code raises, and ModuleNotFoundError where it is a package without such a
        part.
        """
        parts = name.split(".")
        above: Module | None = None
        for count, part in enumerate(parts, 1):
            whole = ".".join(parts[:count])
            module = self.loaded.get(whole)
            if module is None:
                module = self._load(whole, part, above)
                if module is None:
                    if count == 1:
                        return None
                    is_package = ".".join(parts[: count - 1]) in self._packages
                    _not_found(whole, "" if is_package else parts)
                if above is not None:
                    vars_of(above)[part] = module
            above = module
        self._put_back(parts)
        return above

    def _put_back(self, parts: list[str]) -> None:
        """Put each part into its package that is not there: it is loading, or was taken out.

        For `import a.b.c as x` CPython would look for it in the interpreter's own `sys.modules`, by
        what the package says that its name is.
        """
        for count in range(1, len(parts)):
            package = self.loaded.get(".".join(parts[:count]))
            part = self.loaded.get(".".join(parts[: count + 1]))
            if package is not None and part is not None:
                vars_of(package).setdefault(parts[count], part)

    def _load(self, whole: str, part: str, above: Module | None) -> Module | None:
        if not part.isidentifier() or is_dunder(part):  # it becomes a name in its package
            return None
        if above is None:
            if _is_loaded(part):
                return None
            places = self._places()
        else:
            package = self._packages.get(name_of(above))
            if package is None:
                return None
            places = [package]
        for place in places:
            found = self._file(place, part)
            if found is not None:
                return self._run(whole, *found)
        for place in places:
            path = f"{place}/{part}"
            node = self._node(path)
            if node is not None and node.children is not None:
                return self._run(whole, path, None, True)
        return None

    def _places(self) -> list[str]:
        facades = self._state.facades  # the program's own is the first
        listed = facades[0].get("path", ()) if facades else ()
        found = [str.__str__(each) for each in [*listed] if isinstance(each, str)]
        return [WORKING_DIRECTORY, *(place or "." for place in found)]

    def _node(self, path: str) -> Node | None:
        return self._state.files.tree.get(path)

    def _file(self, place: str, part: str) -> tuple[str, Node, bool] | None:
        package = f"{place}/{part}/__init__.py"
        for path, is_package in ((package, True), (f"{place}/{part}.py", False)):
            node = self._node(path)
            if node is not None and node.data is not None:
                return path, node, is_package
        return None

    # -- loading

    def _run(self, whole: str, path: str, node: Node | None, is_package: bool) -> Module:
        path = path.replace("/./", "/")
        module = made(whole)
        namespace = vars_of(module)
        directory = path.rpartition("/")[0] if node is not None else path
        if is_package:
            self._packages[whole] = directory
        namespace |= {
            "__builtins__": self._state.builtins,
            "__package__": whole if is_package else whole.rpartition(".")[0],
        }
        if node is not None:
            namespace["__file__"] = path
        if is_package:
            namespace["__path__"] = [directory]
        self.loaded[whole] = module
        self._by_namespace[id(namespace)] = whole
        self._begun.add(whole)
        try:
            if node is not None:
                asking.evaluate(compiled(self._state, path, node), namespace)
        except BaseException:
            self.loaded.pop(whole, None)
            self._packages.pop(whole, None)
            raise
        finally:
            self._begun.discard(whole)
            has_ended(module)
        return self.loaded.get(whole, module)

    def run_again(self, module: Any) -> Any:
        """Run the code of a module again in its namespace, as `importlib.reload`."""
        whole = name_of(module)
        if self.loaded.get(whole) is not module:
            raise ImportError(f"module {whole} not in sys.modules", name=whole)
        path = vars_of(module).get("__file__")
        node = self._node(path) if isinstance(path, str) else None
        if node is None or node.data is None:
            _not_found(whole, "")
        asking.evaluate(compiled(self._state, str(path), node), vars_of(module))
        return module

    # -- what an import statement gets

    def names_of(self, module: Module, wanted: Iterable[str]) -> Module:
        """Return a module of its own with the `wanted` names of `module`: nothing else reads it.

        So no code of the program's can take one out between IMPORT_NAME and IMPORT_FROM, which
        would then look it up in the real sys.modules.
        """
        whole, own = name_of(module), vars_of(module)
        found: dict[str, Any] = {}
        for name in wanted:
            if name == "*":
                found |= self._public(whole, own)
            else:
                found[name] = self._named(whole, own, name)
        told = Module("")
        vars(told).update(found)
        return told

    def _public(self, whole: str, own: dict[str, Any]) -> dict[str, Any]:
        if "__all__" not in own:
            names = [n for n in own if type(n) is str and n[:1] != "_" and ":" not in n]
            return {**{name: own[name] for name in names}, "__all__": tuple(names)}
        names = []
        for name in [*own["__all__"]]:
            if not isinstance(name, str):
                kind = type(name).__name__
                raise TypeError(f"Item in {whole}.__all__ must be str, not {kind}")
            names.append(str.__str__(name))
        for name in names:
            if not may_bind(name):
                raise denied_import_name(whole, name)
        missing = [name for name in names if not self._has(whole, own, name)]
        if missing:
            raise AttributeError(f"module {whole!r} has no attribute {missing[0]!r}")
        found = {name: self._named(whole, own, name) for name in names}
        return {**found, "__all__": tuple(names)}

    def _has(self, whole: str, own: dict[str, Any], name: str) -> bool:
        """Say whether a module has `name`; a part of a package is loaded for it."""
        if name not in own and whole in self._packages:
            below = f"{whole}.{name}"
            if below in self.loaded or self._is_there(whole, name):
                self.find(below)
        return name in own

    def _named(self, whole: str, own: dict[str, Any], name: str) -> Any:
        if not may_read_variable(name) or ":" in name:
            raise denied_import_name(whole, name)
        if self._has(whole, own, name):
            return own[name]
        place = own.get("__file__") or "unknown location"
        if whole in self._begun and _MAY_SHADOW and place == f"{WORKING_DIRECTORY}/{whole}.py":
            text = (
                f"cannot import name {name!r} from {whole!r} (consider renaming {place!r} if it has"
                " the same name as a library you intended to import)"
            )
        elif whole in self._begun:
            text = (
                f"cannot import name {name!r} from partially initialized module {whole!r}"
                f" (most likely due to a circular import) ({place})"
            )
        else:
            text = f"cannot import name {name!r} from {whole!r} ({place})"
        error = ImportError(text, name=whole, path=str(place))
        if sys.version_info >= (3, 12):
            error.name_from = name
        raise error

    def _is_there(self, whole: str, part: str) -> bool:
        directory = self._packages[whole]
        if not part.isidentifier():
            return False
        below = self._node(f"{directory}/{part}")
        is_directory = below is not None and below.children is not None
        return is_directory or self._file(directory, part) is not None


def _is_loaded(name: str) -> bool:
    """Say whether no file may stand for `name`: what Python has, or has loaded as a package."""
    return name in LOADED or any(each.startswith(f"{name}.") for each in [*sys.modules])


def joined_name(name: str, package: str, level: int) -> str:
    """Return the whole name of `name` as seen from `package`, `level` dots up."""
    parts = package.split(".")
    if level > len(parts):
        raise ImportError("attempted relative import beyond top-level package")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{name}" if name else base


def _not_found(whole: str, parts: Any) -> NoReturn:
    text = f"No module named {whole!r}"
    if parts:
        text += f"; {whole.rpartition('.')[0]!r} is not a package"
    raise ModuleNotFoundError(text, name=whole)
