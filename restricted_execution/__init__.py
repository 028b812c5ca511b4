"""The package `sandbox` by a second name, for where another `sandbox` is in the way.

    from restricted_execution import Sandbox
    from restricted_execution.integrations.trl import CodeReward

Both names give the same objects, loaded when they are first used. Imported before any other
`sandbox`, this one makes sure that the name means this package, whatever folder or package of that
name comes first on the path. Raises ImportError if another was imported by then: one process has
room for one of them.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox import *  # noqa: F403
    from sandbox import __all__ as __all__

_OWN = Path(__file__).resolve().parents[1] / "sandbox"


def _package() -> ModuleType:
    """The package itself, from beside this one. Raises ImportError."""
    found = sys.modules.get("sandbox")
    if found is None:
        return _loaded()
    places = [Path(place).resolve() for place in getattr(found, "__path__", ())]
    if _OWN not in places:
        where = getattr(found, "__file__", None) or next(map(str, places), "nowhere")
        raise ImportError(
            f"another package called sandbox, from {where}, was imported before"
            " restricted_execution, and one process has room for one of that name: import"
            " restricted_execution first, or rename or leave out the other",
            name="restricted_execution",
        )
    return found


def _loaded() -> ModuleType:
    spec = spec_from_file_location(
        "sandbox", _OWN / "__init__.py", submodule_search_locations=[str(_OWN)]
    )
    if spec is None or spec.loader is None or not (_OWN / "__init__.py").is_file():
        raise ImportError(f"restricted-execution is not whole: {_OWN} is missing; install it again")
    module = sys.modules["sandbox"] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["sandbox"]
        raise
    return module


class _Same(MetaPathFinder, Loader):
    """Finds `restricted_execution.x` as what `sandbox.x` is."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for what is below this package, and for nothing else."""
        if not fullname.startswith(f"{__name__}.") or fullname == f"{__name__}.__main__":
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the package, as it is. Raises ImportError."""
        module = import_module(f"sandbox.{spec.name.partition('.')[2]}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run; what it is called stays."""
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            module.__spec__ = spec.loader_state


_sandbox = _package()
sys.meta_path.insert(0, _Same())


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _sandbox.__all__
    try:
        return getattr(_sandbox, name)
    except AttributeError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    """List what `sandbox` has."""
    return dir(_sandbox)
