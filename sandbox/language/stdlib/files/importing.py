"""A stand-in for `importlib`: modules that an import statement would give, by a text."""

from types import ModuleType
from typing import Any

from sandbox.language.guest import state as entered
from sandbox.language.guest.context import Context
from sandbox.language.guest.module_objects import GuestModule
from sandbox.language.guest.own_modules import joined_name


def importlib(context: Context) -> dict[str, Any]:
    """By name. The importer of the world is the one of the program's import statements."""

    def import_module(name: Any, package: Any = None) -> Any:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"the 'name' argument must be a str, not {kind}")
        text = str.__str__(name)
        level = len(text) - len(text.lstrip("."))
        if level:
            if not isinstance(package, str):
                told = (
                    f"the 'package' argument is required to perform a relative import for {text!r}"
                )
                raise TypeError(told)
            text = joined_name(text[level:], str.__str__(package), level)
        if not text:
            raise ValueError("Empty module name")
        return entered.importer().module(text)

    def reload(module: Any) -> Any:
        if not isinstance(module, ModuleType):
            raise TypeError("reload() argument must be a module")
        if not isinstance(module, GuestModule):
            return module  # one that is granted, which never changes
        return entered.importer().own.run_again(module)

    def invalidate_caches() -> None:
        return

    return {
        "import_module": import_module,
        "reload": reload,
        "invalidate_caches": invalidate_caches,
    }
