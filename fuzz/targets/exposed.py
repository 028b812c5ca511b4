"""A language layer that guards nothing: attackers of the next layer start with all that it keeps.

`PLANT` runs in the supervisor before it is disarmed. Programs are compiled as they are; they find
the real builtins, import what the process has loaded, and hold a frame of the host's, a code
object, a function of the host's, `sys` and `os`.
"""

PLANT = """
import builtins, os, sys
from sandbox.interpreter.vault import asking
from sandbox.language.compile import compiler
from sandbox.language.guards import guards
from sandbox.runtime.child import child
from sandbox.runtime.supervisor import preparation

def _unguarded(source, policy, mode, filename, dialect):
    return asking.compile_text(source, filename, mode)

compiler._compile_restricted = _unguarded
build_world, enter = preparation.build_world, child.enter
real_names = vars(builtins)

def imported(*asked):
    return real_names["__import__"](*asked)

def build(plan, *rest):
    world = build_world(plan, *rest)
    own = {name: world.state.builtins[name] for name in ("input", "print")}
    world.state.builtins.update(
        {**real_names, **own}, __import__=imported, builtins=builtins, os=os, sys=sys,
        a_code=compiler.compile_program.__code__, a_function=guards.Guards.settle,
        real_import=builtins.__import__, granted=asking,
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
