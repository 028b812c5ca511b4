"""From a `Policy` to the `Plan` that the supervisor carries out."""

from sandbox.policy.files.content import Content
from sandbox.policy.files.loader import load, shipped
from sandbox.policy.files.merge import names_of
from sandbox.policy.plan import Package, Plan, Scratch

_OF_PACKAGES = ("module numpy", "numpy.")


def make_plan(kind: type[Content], policy: Content) -> Plan:
    """`policy` as plain data: reasons dropped, "*" resolved, names sorted.

    `kind` is what the shipped policies are loaded as, of which some grant what this one does not.
    """
    return Plan(
        name=policy.name,
        language=policy.language != "off",
        limits=policy.limits.plain(),
        layers=policy.layers.plain(),
        require_any=policy.require_any,
        services=policy.services,
        deterministic=policy.deterministic,
        opens=policy.language == "off" and not policy.as_restricted,
        threads=policy.threads,
        packages=tuple(
            Package(
                name=grant.name,
                preload=grant.preload,
                warm_up=grant.warm_up,
                optional=grant.optional,
            )
            for grant in policy.packages
        ),
        scratch=_scratch(policy),
        builtins=tuple(sorted(policy.granted_builtins())),
        modules=_modules(policy),
        elsewhere=_elsewhere(kind, policy),
    )


def _scratch(policy: Content) -> Scratch | None:
    if policy.files is None or policy.language != "off" or policy.as_restricted:
        return None
    return Scratch(kib=policy.files.scratch_kib, count=policy.files.scratch_count)


def _modules(policy: Content) -> dict[str, tuple[str, ...]]:
    granted: dict[str, set[str]] = {}
    for grant in policy.modules:
        granted.setdefault(grant.module, set()).update(names_of(grant))
    return {module: tuple(sorted(names)) for module, names in sorted(granted.items())}


def _elsewhere(kind: type[Content], policy: Content) -> dict[str, tuple[str, ...]]:
    """Return the names that this policy lacks, with the shipped ones that grant them.

    One that grants services is for programs that a caller of services runs, and no advice.
    One that grants a package is named for that alone: it extends another, which has the rest.
    Names of a module are listed only where the module itself is granted here: a refused module
    is refused as a whole, and the table is copied into every child.
    """
    if policy.language == "off":
        return {}
    here, found = _keys(policy), dict[str, tuple[str, ...]]()
    modules = _modules(policy)
    others = [load(kind, name) for name in shipped() if name != policy.name]
    for other in others:
        for key in () if other.services else sorted(_keys(other) - here):
            if other.packages and not key.startswith(_OF_PACKAGES):
                continue
            if key.startswith(("builtin ", "module ")) or key.rpartition(".")[0] in modules:
                found[key] = found.get(key, ()) + (other.name,)
    return found


def _keys(policy: Content) -> set[str]:
    modules = _modules(policy)
    names = {f"{module}.{name}" for module, names in modules.items() for name in names}
    return (
        {f"builtin {name}" for name in policy.granted_builtins()}
        | {f"module {module}" for module in modules}
        | names
    )
