"""The exceptions that a guest gets where the policy says no: ordinary ones, marked.

`try: import numpy / except ImportError:` works as written. Only where no code catches them does the
mark make the execution DENIED instead of ERROR.
"""

from typing import Any


class Denial:
    """The mark. What it says is in a slot without a name: no program can write it."""

    __slots__ = ()


_slots: dict[type, Any] = {}


def _named_as(builtin: type[BaseException]) -> type[BaseException]:
    namespace = {
        "__module__": "builtins",
        "__qualname__": builtin.__name__,
        "__slots__": ("told",),
    }
    cls: type[BaseException] = type(builtin.__name__, (builtin, Denial), namespace)
    _slots[cls] = cls.__dict__["told"]
    type.__delattr__(cls, "told")
    return cls


_MODULE_NOT_FOUND = _named_as(ModuleNotFoundError)
_IMPORT = _named_as(ImportError)
_ATTRIBUTE = _named_as(AttributeError)
_TYPE = _named_as(TypeError)
_PERMISSION = _named_as(PermissionError)
_NO_FILE = _named_as(FileNotFoundError)
_RUNTIME = _named_as(RuntimeError)


def _marked(error: BaseException, what: str, key: str = "") -> BaseException:
    _slots[type(error)].__set__(error, (f"{what} is denied", key))
    return error


def told_of(error: BaseException) -> tuple[str, str] | None:
    """Return what was denied and what would allow it, or None if `error` is no denial of ours.

    The first says so in words that fit before "by policy 'x'"; the second is what a policy would
    have to grant, in the words of `Plan.elsewhere`, or empty.
    """
    slot = _slots.get(type(error))
    try:
        told: tuple[str, str] | None = None if slot is None else slot.__get__(error)
        return told
    except AttributeError:  # a program has made one
        return None


def denied_module(name: str, missing: str) -> BaseException:
    """Make a denial of `import name`, in CPython's words; `missing`: it or a package around it."""
    error = _MODULE_NOT_FOUND(f"No module named {missing!r}", name=missing)  # type: ignore[call-arg]
    return _marked(error, f"import of module '{name}'", f"module {name}")


def denied_import_name(module: str, name: str) -> BaseException:
    """Make the denial for `from module import name`."""
    error = _IMPORT(f"cannot import name {name!r} from {module!r}")
    return _marked(error, f"import of '{module}.{name}'", f"{module}.{name}")


def denied_source(path: str, reasons: str) -> BaseException:
    """Make the denial for the import of a file of the program's that the dialect does not allow."""
    return _marked(_IMPORT(f"{path}: {reasons}"), f"the text of {path} ({reasons})")


def denied_attribute(name: str) -> BaseException:
    """Make the denial for a read of the attribute `name`."""
    return _marked(_ATTRIBUTE(f"attribute {name!r} is denied"), f"attribute '{name}'")


def denied_attribute_of(module: str, name: str) -> BaseException:
    """Make the denial for a read of a module's name that is not granted."""
    error = _ATTRIBUTE(f"module {module!r} has no attribute {name!r}")
    return _marked(error, f"'{module}.{name}'", f"{module}.{name}")


def denied_code(reasons: str) -> BaseException:
    """Make the denial for `eval` and `exec` of a source that the dialect does not allow."""
    return _marked(_TYPE(reasons), f"the text of eval or exec ({reasons})")


def denied_store(owner: type) -> BaseException:
    """Make the denial for a write to an object that belongs to the host."""
    what = f"setting an attribute of this {type.__getattribute__(owner, '__name__')!r} object"
    return _marked(_ATTRIBUTE(f"{what} is denied"), what)


def denied_class(what: str) -> BaseException:
    """Make the denial for a class, or a copy of an object, that the guards cannot allow."""
    return _marked(_TYPE(f"{what} is denied"), what)


def denied_group() -> BaseException:
    """Make the denial for `except*` and a group that does not split as CPython's own do."""
    what = "except* with an exception group that has a split or derive of its own"
    return _marked(_TYPE(f"{what} is denied"), what)


def denied_wait(what: str) -> BaseException:
    """Make the denial for what could only end if there were another thread."""
    text = f"{what} would wait for ever: the program has one thread"
    return _marked(_RUNTIME(text), f"{what}, where the program's one thread would wait for ever,")


def denied_file(name: object, *, made: bool = True) -> BaseException:
    """Make the denial for `open`, of a file that it would have made or that is not there."""
    error = _PERMISSION(13, "Permission denied", name)
    if not made:
        error = _NO_FILE(2, "No such file or directory", name)
    return _marked(error, "opening a file")
