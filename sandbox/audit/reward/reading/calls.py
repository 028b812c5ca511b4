"""Calls and writes: attributes by computed names, policies, patches, chance."""

import ast
import string

from sandbox.audit.findings import Severity
from sandbox.audit.reward.policies import check_policy_of, check_starred
from sandbox.audit.reward.reading.look import EXECUTE, Look, shown
from sandbox.audit.reward.reading.names import check_attribute_name, check_member
from sandbox.audit.reward.reading.references import (
    OPAQUE,
    OWN_CLASS,
    OWN_FUNCTION,
    OWN_INSTANCE,
    SANDBOX_INSTANCE,
    UNKNOWN,
)
from sandbox.audit.reward.reading.tables import (
    ATTRIBUTE_RULES,
    CLASS_MAKERS,
    DECORATORS,
    LOG_ARGUMENTS,
    OPENERS,
    PATCHABLE,
    UNSEEDED,
    WAITING,
)
from sandbox.audit.reward.reading.types import check_type_call
from sandbox.language.compile.names import PLAIN, store_kind

_NESTED_SPECS = 2  # str.format raises for more (MarkupIterator in Objects/stringlib)
_GRADERS = frozenset(("sandbox.grade", "sandbox.grade_many"))
_WITH_POLICY = {*EXECUTE, "sandbox.Sandbox", "sandbox.Policy.load", *_GRADERS}
_PLAIN_CALLS = frozenset(f"builtins.{n}" for n in ("str", "int", "float", "len", "repr", "round"))
_OWN = frozenset((OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE))


def check_call(look: Look, node: ast.Call) -> None:
    """Check every call, by what it may be a call of."""
    for ref in sorted(look.references.of(node.func)):
        if ref == "builtins.getattr":
            _check_getattr(look, node)
        elif ref in ("builtins.setattr", "builtins.delattr"):
            _check_setattr(look, node)
        elif ref in ("operator.attrgetter", "operator.methodcaller"):
            _check_getter(look, node, ref)
        elif ref == "builtins.type":
            check_type_call(look, node)
        elif ref in ("builtins.hash", "builtins.id"):
            _check_hash(look, node, ref)
        elif ref in CLASS_MAKERS:
            look.report("undecided", node, "a class is made at run time")
        elif ref in DECORATORS:
            _check_decorator(look, node, ref)
        elif ref == "logging.basicConfig":
            if node.args or any(each.arg not in LOG_ARGUMENTS for each in node.keywords):
                look.report("files", node, "the log may be written to a file")
        elif ref in WAITING:
            text = "it waits, which takes no time in the sandbox"
            look.report("surprise", node, text, severity=Severity.MEDIUM)
        elif ref.startswith("random."):
            _check_chance(look, node, ref)
        elif ref in _WITH_POLICY:
            check_policy_of(look, node, ref)
        elif ref.startswith("sandbox.Policy") and ref != "sandbox.Policy.load":
            look.report("weak-policy", node, "a policy that is made here may hold less")
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "format_map"):
        _check_format(look, node, node.func)
    refs = look.references.of(node.func)
    if _has_keyword(node, "policy") and not refs <= {*_OWN, *OPENERS, *EXECUTE}:
        check_policy_of(look, node, "")
    check_starred(look, node)
    if _has_keyword(node, "services"):
        look.report("weak-policy", node, "functions of the trainer are lent to the program")


# -- attributes by name


def _check_getattr(look: Look, node: ast.Call) -> None:
    names = look.constants.texts(node.args[1]) if len(node.args) >= 2 else None
    if names is None or any(isinstance(arg, ast.Starred) for arg in node.args):
        look.report("undecided", node, "which attribute is read is not known")
        return
    for name in names:
        _check_read(look, node, node.args[0], name)


def _check_read(look: Look, node: ast.AST, base: ast.expr, name: str) -> None:
    modules = look.modules_of(base)
    for module in modules:
        if module in look.modules:
            check_member(look, node, module, name)
    if not modules:
        check_attribute_name(look, node, base, name)


def _check_getter(look: Look, node: ast.Call, ref: str) -> None:
    given = node.args if ref == "operator.attrgetter" else node.args[:1]
    for arg in given:
        names = look.constants.texts(arg)
        if names is None:
            look.report("undecided", node, "which attribute is read is not known")
            return
        for part in (part for name in names for part in name.split(".")):
            check_attribute_name(look, node, ast.Name("object"), part)


def _check_setattr(look: Look, node: ast.Call) -> None:
    names = look.constants.texts(node.args[1]) if len(node.args) >= 2 else None
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if names is not None and not starred:
        for name in names:
            check_store(look, node, node.args[0], name)
    elif starred or not node.args or not _is_own(look, node.args[0]):
        refs = look.references.of(node.args[0]) if node.args else frozenset((UNKNOWN,))
        rule = "redefined" if refs - OPAQUE else "undecided"
        look.report(rule, node, "which attribute is set is not known")


def sets_own(look: Look, node: ast.AST) -> bool:
    """Return True for `object.__setattr__(self, "name", ...)`, as frozen dataclasses set fields."""
    call = look.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or len(call.args) < 2:
        return False
    names = look.constants.texts(call.args[1])
    known = names is not None and all(map(_is_plain, names))
    return known and look.scopes.is_self(call.args[0]) and _is_own(look, call.args[0])


def _is_plain(attr: str) -> bool:
    """Return True if a store to `attr` changes what is found under that name alone.

    The dialect guards `__name__` for what C code keeps of the name of a class.
    """
    return store_kind(attr) == PLAIN or attr == "__name__"


def check_store(look: Look, node: ast.AST, base: ast.expr, attr: str) -> None:
    """Check `base.attr = ...`, `del base.attr` and what comes to the same."""
    path = f"{shown(base)}.{attr}"
    refs = look.references.of(base)
    imported = sorted(ref for ref in refs if ref not in OPAQUE)
    if imported or SANDBOX_INSTANCE in refs:
        what = imported[0] if imported else "a Sandbox"
        look.report("redefined", node, f"a part of '{what}' is replaced", path=path)
    elif not _is_plain(attr):
        look.report("introspection", node, f"'{attr}' is replaced", path=path)
    elif not _is_own(look, base) and (
        attr in PATCHABLE
        or attr in ATTRIBUTE_RULES
        or (attr.startswith("_") and not look.scopes.is_self(base))
    ):
        look.report("undecided", node, f"'{attr}' of something unknown is replaced", path=path)


def check_item_store(look: Look, node: ast.AST, base: ast.expr) -> None:
    """Check `base[...] = ...`, where `base` is a table of another module."""
    for ref in sorted(look.references.of(base) - OPAQUE):
        if not ref.startswith("builtins."):
            look.report("redefined", node, f"an item of '{ref}' is replaced")


def _is_own(look: Look, base: ast.expr) -> bool:
    """Return True for an object of the source's own making."""
    if look.scopes.is_self(base):
        function = look.scopes.enclosing_function(base)
        name = getattr(function, "name", "")
        return name not in look.leaked_methods
    return look.references.of(base) <= _OWN


def _check_decorator(look: Look, node: ast.Call, ref: str) -> None:
    """Refuse a call that writes to a class or a function, unless that is an own one."""
    if any(keyword.arg in (None, "assigned", "updated", "wrapper") for keyword in node.keywords):
        look.report("undecided", node, "which attributes are copied is not known")
    elif ref == "functools.wraps":
        above = look.parent(node)
        decorators = getattr(above, "decorator_list", [])
        if len(node.args) != 1 or all(each is not node for each in decorators):
            look.report("undecided", node, "what is written to is not known")
    elif ref == "functools.update_wrapper":
        if len(node.args) != 2 or not look.references.of(node.args[0]) <= _OWN:
            look.report("redefined", node, "what is written to is not of this file")
    elif node.args and not look.references.of(node.args[0]) <= {OWN_CLASS, OWN_FUNCTION}:
        look.report("redefined", node, "what is written to is not of this file")


# -- format strings


def check_format_value(look: Look, node: ast.Attribute) -> None:
    """Check a `text.format` that is handed on."""
    parent = look.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    texts = look.constants.texts(node.value)
    walks = texts is None or any(_walks(name) for text in texts for name in _fields(text))
    if walks and not _is_own(look, node.value):
        look.report("format-walk", node, "which attributes it reads is not known")


def _check_format(look: Look, node: ast.Call, func: ast.Attribute) -> None:
    texts = look.constants.texts(func.value)
    if texts is None:
        if _is_own(look, func.value) or _all_plain(look, node):
            return
        look.report("format-walk", node, "which attributes the format string reads is not known")
        return
    for text in texts:
        if any(_walks(name) for name in _fields(text)):
            look.report("format-walk", node, "the format string reads private attributes")


def _all_plain(look: Look, node: ast.Call) -> bool:
    """Return True if all is text and numbers, which have no attribute that says anything."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    return all(
        isinstance(value, (ast.Constant, ast.JoinedStr))
        or (isinstance(value, ast.Call) and look.references.of(value.func) <= _PLAIN_CALLS)
        or look.constants.of(value) is not None
        for value in values
    )


def _fields(text: str, depth: int = 0) -> list[str]:
    if depth > _NESTED_SPECS:
        return []
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return []  # it raises where it is used
    return [
        part
        for _, name, spec, _ in parsed
        for part in (name or "", *_fields(spec or "", depth + 1))
    ]


def _walks(name: str) -> bool:
    parts = name.replace("[", ".").replace("]", "").split(".")[1:]
    return any(part.startswith("_") or part in ATTRIBUTE_RULES for part in parts)


# -- chance


def _check_chance(look: Look, node: ast.Call, ref: str) -> None:
    name = ref.partition(".")[2]
    if name in ("seed", "Random") and not (node.args or node.keywords):
        look.report("nondeterministic", node, f"'{ref}' without a seed takes one from the system")
    elif name in UNSEEDED and not look.is_seeded:
        look.report("nondeterministic", node, f"'{ref}' draws from a generator without a seed")


def _check_hash(look: Look, node: ast.Call, ref: str) -> None:
    function = look.scopes.enclosing_function(node)
    if getattr(function, "name", "") != "__hash__":
        text = f"'{ref.partition('.')[2]}' gives another number in another process"
        look.report("surprise", node, text, severity=Severity.MEDIUM)


def _has_keyword(node: ast.Call, *names: str) -> bool:
    return any(keyword.arg in names for keyword in node.keywords)
