"""Rules across the keys of a policy. Each yields (key, reason) for what does not hold."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from sandbox.errors import Problem
from sandbox.policy.files.content import Content
from sandbox.policy.files.fields import ALL
from sandbox.policy.layers import OFF, REQUIRED
from sandbox.policy.support import supported
from sandbox.policy.tighten import did_you_mean

T = TypeVar("T")
Found = tuple[str, str]  # the key, and why not

# Without the language layer these hold the guest, so none of them may be missing.
KERNEL_BASE = ("rlimits", "descriptors", "privileges", "seccomp")
CURATED = frozenset(("numpy",))  # packages with a facade under the language layer
FILE_BARRIERS = {"namespaces", "landlock"}


def problems(policy: Content) -> Iterator[Problem]:
    """Everything that is wrong with `policy` as a whole."""
    for rule in RULES:
        yield from (Problem(key=key, reason=reason) for key, reason in rule(policy))


def _language_agrees(policy: Content) -> Iterator[Found]:
    wanted = OFF if policy.language == "off" else REQUIRED
    if policy.layers.language != wanted:
        yield "layers.language", f'must be "{wanted}" where language = "{policy.language}"'


def _process_is_on(policy: Content) -> Iterator[Found]:
    if policy.layers.process != REQUIRED:
        yield "layers.process", 'must be "required": every execution has a process of its own'


def _groups_can_hold(policy: Content) -> Iterator[Found]:
    layers = policy.layers.plain()
    for index, group in enumerate(policy.require_any):
        if all(layers[layer] == OFF for layer in group):
            yield (
                f"require_any[{index}]",
                f"{' and '.join(group)} are off, so none can be active",
            )


def _kernel_holds_alone(policy: Content) -> Iterator[Found]:
    if policy.language != "off" or policy.testing:
        return
    layers = policy.layers.plain()
    for layer in KERNEL_BASE:
        if layers[layer] != REQUIRED:
            yield f"layers.{layer}", 'must be "required" where language = "off"'
    if not has_file_barrier(policy):
        yield (
            "require_any",
            'language = "off" needs namespaces or landlock: '
            'add require_any = [["namespaces", "landlock"]]',
        )


def has_file_barrier(policy: Content) -> bool:
    """True if no host has neither namespaces nor Landlock under `policy`."""
    layers = policy.layers.plain()
    return any(layers[layer] == REQUIRED for layer in FILE_BARRIERS) or any(
        set(group) <= FILE_BARRIERS for group in policy.require_any
    )


def _grants_have_a_meaning(policy: Content) -> Iterator[Found]:
    if policy.language == "off" and (policy.builtins or policy.modules):
        key = "builtins" if policy.builtins else "modules"
        yield key, 'grants have no meaning where language = "off": the guest has everything'


def _packages_can_be_shown(policy: Content) -> Iterator[Found]:
    names = [grant.name.lower().replace("_", "-") for grant in policy.packages]
    for name in _twice(names):
        yield "packages", f"{name} is granted twice"
    if policy.language != "off":
        yield from _packages_are_curated(policy)
        if policy.threads:
            yield "threads", 'need language = "off": the language layer runs threads in one'
        if policy.files is not None:
            yield "files", 'need language = "off": the language layer has a tree in memory'
    elif policy.packages and policy.layers.namespaces != REQUIRED and not policy.testing:
        yield (
            "layers.namespaces",
            'must be "required" where packages are granted: their files are shown in a mount '
            "namespace that has nothing else",
        )


def _packages_are_curated(policy: Content) -> Iterator[Found]:
    """Under the language layer there is of a package what we have looked at, or nothing."""
    granted = {grant.name.lower() for grant in policy.packages}
    for grant in policy.packages:
        if grant.name.lower() not in CURATED:
            yield (
                "packages",
                f'need language = "off", {grant.name} too: under the language layer there is'
                f" {', '.join(sorted(CURATED))} alone",
            )
        elif grant.preload or grant.warm_up or grant.optional:
            yield (
                "packages",
                f"{grant.name} takes no preload, warm_up or optional under the language layer,"
                " which imports it in its own way",
            )
    roots = {grant.module.partition(".")[0] for grant in policy.modules}
    for name in sorted(CURATED & (roots ^ granted)):
        missing = "[[packages]]" if name in roots else "[[modules]]"
        yield "packages", f"{name} needs a grant in {missing} as well"


def _is_as_restricted_for_a_test(policy: Content) -> Iterator[Found]:
    if policy.as_restricted and not (policy.testing and policy.language == "off"):
        yield "as_restricted", 'needs testing = true and language = "off"'
    if policy.as_restricted and (policy.packages or policy.threads):
        yield "as_restricted", "shows no packages and has no threads"


def _granted_once(policy: Content) -> Iterator[Found]:
    for name in _twice(policy.granted_builtins()):
        yield "builtins", f"{name} is granted twice"
    names = [(grant.module, name) for grant in policy.modules for name in grant.names]
    for module, name in _twice(names):
        yield "modules", f"{module}.{name} is granted twice"
    for module in sorted({module for module, name in names if name == ALL}):
        if sum(grant.module == module for grant in policy.modules) > 1:
            yield "modules", f'{module} is granted with "*" and once more'


def _served_by_services(policy: Content) -> Iterator[Found]:
    if not policy.services and any(grant.module == "sandbox" for grant in policy.modules):
        yield "modules", "sandbox needs services = true: the caller runs what it is asked to run"


def _shows_no_clock(policy: Content) -> Iterator[Found]:
    if policy.deterministic and policy.language == "off":
        yield (
            "deterministic",
            'needs language = "restricted": without the language layer a program reads the clock '
            "from memory (vDSO) and objects' addresses, which no kernel layer hides",
        )


def _twice(items: Iterable[T]) -> list[T]:
    return [item for item, times in Counter(items).items() if times > 1]


def _supported(policy: Content) -> Iterator[Found]:
    if not (policy.builtins or policy.modules):
        return
    builtins, modules = supported()
    for name in policy.granted_builtins():
        if name not in builtins:
            yield "builtins", f"{name} {_UNSUPPORTED}{did_you_mean(name, builtins)}"
    for grant in policy.modules:
        known = modules.get(grant.module)
        if known is None:
            near = did_you_mean(grant.module, modules)
            yield "modules", f"{grant.module} {_UNSUPPORTED}{near}"
            continue
        for name in grant.names:
            if name != ALL and name not in known:
                near = did_you_mean(name, known)
                yield "modules", f"{grant.module}.{name} {_UNSUPPORTED}{near}"


_UNSUPPORTED = "is not supported by the language layer"

RULES: tuple[Callable[[Content], Iterator[Found]], ...] = (
    _language_agrees,
    _process_is_on,
    _groups_can_hold,
    _kernel_holds_alone,
    _grants_have_a_meaning,
    _packages_can_be_shown,
    _is_as_restricted_for_a_test,
    _granted_once,
    _served_by_services,
    _shows_no_clock,
    _supported,
)
