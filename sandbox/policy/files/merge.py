"""One file on top of the policy that it extends."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

from sandbox.errors import Problem
from sandbox.policy.files.content import Content
from sandbox.policy.files.document import Document
from sandbox.policy.files.fields import ALL
from sandbox.policy.files.problems import MOST_TOLD, report
from sandbox.policy.files.tables import BuiltinsGrant, ModuleGrant
from sandbox.policy.support import supported
from sandbox.policy.tighten import did_you_mean

REMOVALS = ("remove_builtins", "remove_modules", "remove_packages", "remove_files")
P = TypeVar("P", bound=Content)


def merge(
    kind: type[P], parent: Content | None, document: Document, *, origin: str, stem: str
) -> P:
    """Make the policy that `document` says, with `parent` below it. Raises PolicyError.

    Limits and layers go key by key, `language`, `require_any`, `threads`, `files`, `services` and
    `deterministic` as a whole; grants add up after `remove_builtins`, `remove_modules` and
    `remove_packages` took theirs away. Name, description, testing and as_restricted are of the
    file itself.
    """
    if unknown := list(islice(_not_granted(parent, document), MOST_TOLD)):
        raise report(origin, unknown)
    data: dict[str, Any] = {"name": stem, **document}
    data.pop("extends", None)
    without_files = data.pop("remove_files", False)
    without_builtins, without_modules, without_packages = (
        frozenset(data.pop(key, ())) for key in REMOVALS if key != "remove_files"
    )
    if parent is not None:
        data |= {
            "language": document.get("language", parent.language),
            "limits": {**parent.limits.model_dump(), **document.get("limits", {})},
            "layers": {**parent.layers.model_dump(), **document.get("layers", {})},
            "require_any": document.get("require_any", parent.require_any),
            "packages": tuple(
                grant for grant in parent.packages if grant.name not in without_packages
            )
            + document.get("packages", ()),
            "threads": document.get("threads", parent.threads),
            "files": document.get("files", None if without_files else parent.files),
            "services": document.get("services", parent.services),
            "deterministic": document.get("deterministic", parent.deterministic),
            "builtins": _builtins_left(parent, without_builtins) + document.get("builtins", ()),
            "modules": _modules_left(parent, without_modules) + document.get("modules", ()),
        }
    return kind(origin=origin, **data)


def _not_granted(parent: Content | None, document: Document) -> Iterator[Problem]:
    """A removal of what is not there is a mistake that would leave a guest with too much."""
    if parent is None:
        reason = "has no meaning without extends"
        yield from (Problem(key=key, reason=reason) for key in REMOVALS if key in document)
        return
    if "remove_files" in document and parent.files is None:
        yield Problem(key="remove_files", reason=f"files are not granted by {parent.name!r}")
    builtins, modules = set(parent.granted_builtins()), _removable(parent)
    packages = {grant.name for grant in parent.packages}
    yield from (
        Problem(
            key=key,
            reason=f"{name} is not granted by {parent.name!r}{did_you_mean(name, known)}",
        )
        for key, names, known in (
            ("remove_builtins", document.get("remove_builtins", ()), builtins),
            ("remove_modules", document.get("remove_modules", ()), modules),
            ("remove_packages", document.get("remove_packages", ()), packages),
        )
        for name in names
        if name not in known
    )


def names_of(grant: ModuleGrant) -> tuple[str, ...]:
    """Return the names that one grant gives, with "*" resolved."""
    return tuple(sorted(supported()[1][grant.module])) if grant.names == (ALL,) else grant.names


def _removable(parent: Content) -> set[str]:
    modules = {grant.module for grant in parent.modules}
    return modules | {f"{grant.module}.{n}" for grant in parent.modules for n in names_of(grant)}


def _builtins_left(parent: Content, removed: frozenset[str]) -> tuple[BuiltinsGrant, ...]:
    left = (
        (tuple(name for name in grant.names if name not in removed), grant.reason)
        for grant in parent.builtins
    )
    return tuple(BuiltinsGrant(names=names, reason=reason) for names, reason in left if names)


def _modules_left(parent: Content, removed: frozenset[str]) -> tuple[ModuleGrant, ...]:
    grants = (_narrowed(grant, removed) for grant in parent.modules if grant.module not in removed)
    return tuple(grant for grant in grants if grant is not None)


def _narrowed(grant: ModuleGrant, removed: frozenset[str]) -> ModuleGrant | None:
    names = names_of(grant)
    left = tuple(name for name in names if f"{grant.module}.{name}" not in removed)
    if left == names:
        return grant
    return ModuleGrant(module=grant.module, names=left, reason=grant.reason) if left else None
