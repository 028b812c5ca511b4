"""The modules and classes of the host that may come into a guest's hands."""

import sys

from sandbox.language.compile.words import words
from sandbox.language.guards.classes.class_origin import dict_of

_name = type.__dict__["__name__"].__get__
# Modules whose objects only the machinery holds: it writes to them, and no guest comes to them.
_MACHINERY = words(
    """
    _colorize _ctypes _frozen_importlib _frozen_importlib_external _sitebuiltins _thread _tokenize
    ast codecs ctypes dis encodings grp importlib inspect ipaddress linecache opcode os
    platform posix pwd re._constants re._parser reprlib resource runpy signal site
    threading tokenize traceback zipimport
    """
)
# The same of our own: what is in any other module of `sandbox.language` is in a guest's reach.
_OUR_MACHINERY = words(
    """
    compile natives guards.attributes.attribute_guards guards.attributes.formatting
    guards.attributes.lookup guards.attributes.looks guards.attributes.owners
    guards.attributes.shown_types
    guards.classes.class_origin guards.classes.classes guards.classes.match_args guards.guards
    guards.namespaces guards.evaluation guest.context guest.ends.denials guest.ends.faults
    guest.ends.suggestions guest.ends.traces guest.files.handles guest.files.opening
    guest.files.tree guest.importer guest.module_objects guest.module_texts guest.own_modules
    guest.state guest.world
    """
)
# Closed classes whose instances any code may write to, a guest's included, and why.
EXEMPT = {
    ("contextlib", "_GeneratorContextManagerBase"): "what the next two inherit from",
    ("contextlib", "_GeneratorContextManager"): "has what the guest gave; made at each `with`",
    ("contextlib", "_AsyncGeneratorContextManager"): "the same",
    ("typing", "TypeVar"): "says something to a type checker; C sets an attribute of it",
    ("typing", "TypeVarTuple"): "the same",
    ("typing", "ParamSpec"): "the same",
    ("functools", "_lru_cache_wrapper"): "takes attributes as the function does that it wraps",
    ("fractions", "Fraction"): "numbers for arithmetic alone; made at every operation",
    ("sandbox.language.guest.collector", "Collector"): "no guest comes to it; hot",
    ("sandbox.language.stdlib.concurrency.asyncio.future", "Current"): "no guest comes to it",
    ("sandbox.language.stdlib.system.sys", "SysStores"): "decides about each store itself",
}


def module_of(cls: type) -> str:
    """Name the module of `cls`, whatever its metaclass says."""
    return str(dict_of(cls).get("__module__", "builtins"))


def key_of(cls: type) -> tuple[str, str]:
    """Name module and class, as in `EXEMPT`."""
    return module_of(cls), _name(cls)


def is_ours_in_reach(cls: type) -> bool:
    """Return True for a class of this package's that a program may come to hold."""
    return (
        module_of(cls).startswith("sandbox")
        and is_in_reach(module_of(cls))
        and key_of(cls) not in EXEMPT
    )


def is_in_reach(module: str) -> bool:
    """Return True for a module whose objects a program may come to hold."""
    root = module.partition(".")[0]
    if root == "sandbox":
        name = module.removeprefix("sandbox.language.")
        is_machinery = name == module or {name, name.partition(".")[0]} & _OUR_MACHINERY
        return module in ("sandbox", "sandbox.result") or not is_machinery
    return root in sys.stdlib_module_names and not {root, module} & _MACHINERY
