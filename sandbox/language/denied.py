"""What a guest gets to see where the policy says no: ordinary exceptions, marked.

`try: import numpy / except ImportError:` works as written. Only where nobody catches them does the
mark make the execution DENIED instead of ERROR.
"""


class Denial:
    """The mark. `what` says what was denied, in words that fit before "by policy 'x'"."""

    what: str


def _named_as(builtin: type[BaseException], name: str) -> type[BaseException]:
    namespace = {"__module__": "builtins", "__qualname__": builtin.__name__, "what": ""}
    return type(builtin.__name__, (builtin, Denial), namespace)


_ImportDenied = _named_as(ModuleNotFoundError, "import")
_AttributeDenied = _named_as(AttributeError, "attribute")
_TypeDenied = _named_as(TypeError, "type")
_PermissionDenied = _named_as(PermissionError, "permission")
_NameDenied = _named_as(ImportError, "name")


def _marked(error: BaseException, what: str) -> BaseException:
    error.what = what  # type: ignore[attr-defined]
    return error


def denied_module(name: str) -> BaseException:
    """For `import name`: CPython's own words, so that a program sees what it would see there."""
    error = _ImportDenied(f"No module named {name!r}", name=name)  # type: ignore[call-arg]
    return _marked(error, f"import of module '{name}' is denied")


def denied_import_name(module: str, name: str) -> BaseException:
    """For `from module import name`."""
    error = _NameDenied(f"cannot import name {name!r} from {module!r}")
    return _marked(error, f"import of '{module}.{name}' is denied")


def denied_attribute(name: str) -> BaseException:
    """For a read of the attribute `name`."""
    return _marked(
        _AttributeDenied(f"attribute {name!r} is denied"), f"attribute '{name}' is denied"
    )


def denied_attribute_of(module: str, name: str) -> BaseException:
    """For a read of a module's name that is not granted."""
    error = _AttributeDenied(f"module {module!r} has no attribute {name!r}")
    return _marked(error, f"'{module}.{name}' is denied")


def denied_code(reasons: str) -> BaseException:
    """For `eval` and `exec` of a source that the dialect does not allow."""
    return _marked(_TypeDenied(reasons), reasons)


def denied_store(owner: type, name: str = "") -> BaseException:
    """For a write to an object that belongs to the host."""
    what = f"setting an attribute of this {type.__getattribute__(owner, '__name__')!r} object is denied"
    return _marked(_AttributeDenied(what), what)


def denied_class(what: str) -> BaseException:
    """For a class that the guards cannot allow."""
    return _marked(_TypeDenied(what), what)


def denied_file(name: object) -> BaseException:
    """For `open`."""
    error = _PermissionDenied(13, "Permission denied", name)
    return _marked(error, "opening a file is denied")
