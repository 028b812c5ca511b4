"""Sandboxes whose language layer guards nothing: attackers start with what they never get."""

import contextlib
from collections.abc import Iterator

from sandbox.fuzz.targets.exposed import PLANT
from sandbox.fuzz.targets.setups import KERNEL_LAYERS

from sandbox import Policy, Sandbox
from sandbox.runtime.caller import supervisor_handle

_SERVE = "main(config)\n"


@contextlib.contextmanager
def unguarded(
    interpreter: str = "required", measure: str = "kernel", kernel: bool = False
) -> Iterator[Sandbox]:
    """Under `contest` without any layer but the process and, if so, the interpreter's own.

    With `kernel` the kernel layers that the host has are on, and a call may lend functions."""
    layers = {**dict.fromkeys(KERNEL_LAYERS, "off"), "interpreter": interpreter}
    policy = Policy.load("contest").replaced(
        name="unguarded",
        layers={"interpreter": interpreter} if kernel else layers,
        services=kernel,
        require_any=(),
        testing=True,
        limits={"cpu_seconds": 2.0, **({"memory_mib": 64} if kernel else {})},
    )
    before = supervisor_handle._BOOT
    supervisor_handle._BOOT = before.replace(
        _SERVE, f"exec({PLANT!r}, dict(__name__='plant'))\n{_SERVE}"
    )
    try:
        with Sandbox(policy, workers=2, measure=measure) as sandbox:
            yield sandbox
    finally:
        supervisor_handle._BOOT = before
