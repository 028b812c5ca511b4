"""Sandboxes whose language layer guards nothing: attackers start with what they never get."""

import contextlib
from collections.abc import Iterator

from sandbox import Policy, Sandbox
from sandbox.runtime import launch

# Runs in the supervisor before it is disarmed. Programs are compiled as they are, and find the real
# builtins, modules, a frame of the host's, a code object, a function of the host's.
_PLANT = """
import builtins, os, sys
from sandbox.interpreter import asking
from sandbox.language.compile import compiler
from sandbox.language.guards import guards
from sandbox.runtime import child, preparation

def _unguarded(source, policy, mode, filename):
    return asking.compile_text(source, filename, mode)

compiler._compile_restricted = _unguarded
build_world, enter = preparation.build_world, child.enter

def build(plan):
    world = build_world(plan)
    real = dict(vars(builtins))
    real.pop("__import__"), real.pop("__build_class__")
    world.session.builtins.update(real, __build_class__=vars(builtins)["__build_class__"])
    world.session.builtins.update(
        builtins=builtins, os=os, sys=sys, a_code=compiler.compile_program.__code__,
        a_function=guards.Guards.settle, real_import=builtins.__import__, granted=asking,
    )
    return world

def entered(world, **options):
    scope = enter(world, **options)
    try:
        raise KeyError
    except KeyError as error:
        scope["a_frame"] = error.__traceback__.tb_frame.f_back
    return scope

preparation.build_world, child.enter = build, entered
"""
KERNEL_LAYERS = (
    *("rlimits", "descriptors", "privileges", "namespaces", "landlock", "seccomp", "cgroup"),
)
_SERVE = "main(config)\n"


@contextlib.contextmanager
def unguarded(interpreter: str = "required") -> Iterator[Sandbox]:
    """Under `contest` without any layer but the process and, if so, the interpreter's own."""
    layers = {**dict.fromkeys(KERNEL_LAYERS, "off"), "interpreter": interpreter}
    policy = Policy.load("contest").replaced(
        name="unguarded", layers=layers, require_any=(), testing=True, limits={"cpu_seconds": 2.0}
    )
    before = launch._BOOT
    launch._BOOT = before.replace(_SERVE, f"exec({_PLANT!r}, dict(__name__='plant'))\n{_SERVE}")
    try:
        with Sandbox(policy, workers=2, measure="kernel") as sandbox:
            yield sandbox
    finally:
        launch._BOOT = before
