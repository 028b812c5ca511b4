"""Sandboxes to attack: a policy as it is, with one layer missing, with one layer alone."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sandbox import Policy, Sandbox
from sandbox.policy.layers import LAYERS, OFF, OPTIONAL, REQUIRED
from sandbox.runtime.caller import supervisor_handle

from .exposed import PLANT

KERNEL_LAYERS = tuple(n for n in LAYERS if n not in ("language", "interpreter", "process"))
# The limits of a campaign: an attack on them ends soon, and one that passes them shows.
_TIGHT = {"cpu_seconds": 0.5, "wall_seconds": 2.0, "memory_mib": 96, "output_kib": 64}
_SERVE = "main(config)\n"
_OURS = "dict(__name__='fuzz')"
_BOOT = supervisor_handle._BOOT
_IMPORT = re.compile(r"^from \.(memory|fingerprint) import .*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Setup:
    """One way to build a sandbox; `layers` names, for people, the layers that it is about."""

    name: str
    policy: Policy
    language: bool
    layers: tuple[str, ...] = ()
    exposed: bool = False  # the language layer is there, and guards nothing


def target(policy: Policy) -> Setup:
    """Return the setup of the policy as a user runs it, but for tighter limits."""
    tight = _tightened(policy)
    return Setup("target", tight, tight.language != OFF)


def alone(policy: Policy, layer: str) -> Setup:
    """Return a setup of nothing but `layer`, and the process layer, which every execution has."""
    if layer == "language":
        policy = _layers(_tightened(policy), dict.fromkeys((*KERNEL_LAYERS, "interpreter"), OFF))
        return Setup("language alone", policy, True, ("language",))
    if layer == "interpreter":
        layers = {**dict.fromkeys(KERNEL_LAYERS, OFF), "interpreter": REQUIRED}
        policy = _layers(_tightened(policy), layers)
        return Setup("interpreter alone", policy, False, ("interpreter",), exposed=True)
    on = {layer}
    if layer == "rlimits" and os.getuid() == 0:
        on.add("privileges")  # real root is not counted, and may raise its limits again
    layers = {name: REQUIRED if name in on else OFF for name in KERNEL_LAYERS}
    return Setup(f"{layer} alone", _layers(_native(policy), layers), False, (layer,))


def without(policy: Policy, layer: str) -> Setup:
    """Return a setup of all that the host has but `layer`."""
    if layer == "language":
        return Setup("without language", _native(policy), False, ("language",))
    base = _tightened(policy)
    return Setup(f"without {layer}", _layers(base, {layer: OFF}), base.language != OFF, (layer,))


def bare(policy: Policy) -> Setup:
    """Return a setup of the process alone: every attack must work there, or it proves nothing."""
    layers = dict.fromkeys(KERNEL_LAYERS, OFF)
    return Setup("bare", _layers(_native(policy), layers), False, ("process",))


def wide(setup: Setup, **limits: float) -> Setup:
    """Return the same setup with some limits lifted."""
    policy = setup.policy.replaced(limits=limits, testing=True)
    return Setup(f"{setup.name}, wide", policy, setup.language, setup.layers)


def _tightened(policy: Policy) -> Policy:
    have = policy.limits.model_dump()
    tight = {name: min(value, have[name]) for name, value in _TIGHT.items()}
    if policy.packages:  # they map more than that
        del tight["memory_mib"]
    return policy.replaced(limits=tight)


def _native(policy: Policy) -> Policy:
    """Return the same limits and kernel layers for unrestricted CPython."""
    layers = {**dict.fromkeys(KERNEL_LAYERS, OPTIONAL), "language": OFF}
    return _layers(
        _tightened(policy).replaced(
            language=OFF,
            layers=layers,
            builtins=(),
            modules=(),
            require_any=(),
            packages=(),
            threads=0,
            testing=True,
            as_restricted=policy.language != OFF,
            deterministic=False,
        ),
        {},
    )


def _layers(policy: Policy, changes: dict[str, str]) -> Policy:
    return policy.replaced(layers=changes, require_any=(), testing=True)


@contextlib.contextmanager
def instrumented(mark: str, planted: str = "") -> Iterator[None]:
    """Put the inspector, and the source `planted`, into supervisors that start meanwhile.

    Both are executed after the supervisor's imports and before it serves.
    """
    before = supervisor_handle._BOOT
    hook = f"{_inspector()}\ninstall({mark!r})\n"
    extra = "".join(f"exec({text!r}, {_OURS})\n" for text in (planted, hook) if text)
    supervisor_handle._BOOT = before.replace(_SERVE, f"{extra}{_SERVE}")
    try:
        yield
    finally:
        supervisor_handle._BOOT = before


@contextlib.contextmanager
def exposed(setup: Setup) -> Iterator[None]:
    """Let supervisors of `setup` that start meanwhile guard nothing, if it says so.

    Without the inspector: the layer `interpreter` leaves no code what the inspector holds.
    """
    before = supervisor_handle._BOOT
    if setup.exposed:
        supervisor_handle._BOOT = _BOOT.replace(_SERVE, f"exec({PLANT!r}, {_OURS})\n{_SERVE}")
    try:
        yield
    finally:
        supervisor_handle._BOOT = before


def is_instrumented() -> bool:
    """Say whether supervisors that start now can be told from those of other processes."""
    return _OURS in supervisor_handle._BOOT


@lru_cache(maxsize=1)
def _inspector() -> str:
    """Return three modules as one text: where it is executed, nothing can be imported from here."""
    here = Path(__file__).parents[1] / "judging"
    names = ("memory.py", "fingerprint.py", "inspector.py")
    texts = [(here / name).read_text(encoding="utf-8") for name in names]
    return _IMPORT.sub("", "".join(texts))


def opened(setup: Setup, workers: int) -> Sandbox:
    """Open the setup. Raises SandboxUnavailable where the host lacks its layer, SandboxError."""
    return Sandbox(setup.policy, workers=workers, measure="kernel")
