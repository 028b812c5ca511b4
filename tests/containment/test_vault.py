"""What the vault's hook uses is in no hands but its own."""

import ast
import dis
import gc
import sys
import types
from typing import Any

import pytest
from insides import BUILDS, inside
from unguarded import unguarded

from sandbox import Sandbox, SandboxUnavailable, Status
from sandbox.interpreter.vault import pipes, vault
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.child import reporter

# What may run code that a guest put there: names, attributes, stores to containers, imports.
LOOKUPS = (
    *("GLOBAL", "LOAD_NAME", "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_METHOD"),
    *("STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT", "SUPER"),
)


def test_what_the_hook_uses_is_found_in_no_namespace() -> None:
    """Else a program could change what a name, an attribute or an operation in it means."""
    nested = [code for build in BUILDS for code in inside(build.__code__)]
    assert len(nested) > 20
    for code in nested:
        for instruction in dis.get_instructions(code):
            found = [each for each in LOOKUPS if each in instruction.opname]
            assert not found, (code.co_name, instruction.opname, instruction.argval)


IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
ONLY_COMPARED = (ast.Module, ast.Expression, ast.Interactive)
_DESCRIPTORS = (str.join, int.__add__, types.CodeType.co_name, types.FrameType.f_back)
UNCHANGING = {
    *(int, str, bytes, bool, float, tuple, slice, frozenset, type(None), types.CodeType),
    *(types.FunctionType, types.CellType, types.BuiltinMethodType, types.MethodWrapperType),
    *map(type, _DESCRIPTORS),
}


def reached_from(hook: types.FunctionType) -> list[Any]:
    """All that `hook` leads to by its cells, defaults, and what is in them."""
    found: list[Any] = [hook]
    seen = {id(hook)}
    for each in found:  # which grows
        parts: list[Any] = []
        if type(each) is types.FunctionType:
            parts = [*(each.__closure__ or ()), each.__defaults__, each.__kwdefaults__]
        elif type(each) is types.CellType:
            parts = [each.cell_contents]
        elif isinstance(each, (tuple, frozenset, list)):
            parts = list(each)
        elif isinstance(each, dict):
            parts = [*each, *each.values()]
        elif isinstance(each, types.BuiltinMethodType | types.MethodWrapperType):
            parts = [each.__self__]
        new = [part for part in parts if id(part) not in seen]
        seen.update(map(id, new))
        found += new
    return found


def _writes_counts(view: "memoryview[Any]", found: list[Any]) -> bool:
    """Return True for the view by which code is made to live for ever, which nothing else uses."""
    holders = [
        each.__name__
        for each in found
        if type(each) is types.FunctionType
        and any(cell.cell_contents is view for cell in each.__closure__ or ())
    ]
    return sys.version_info >= (3, 12) and view.format == "I" and holders == ["keep_nested"]


def changeable(hook: types.FunctionType) -> list[object]:
    """Return what `hook` reaches and a guest that finds it, too, could make something else."""
    found = reached_from(hook)
    known, left = {id(each) for each in found}, list[object]()
    for each in found:
        if isinstance(each, (dict, list)):
            owners = [o for o in gc.get_referrers(each) if o is not found and o is not left]
            is_safe = all(id(owner) in known for owner in owners)
        elif isinstance(each, type):
            is_safe = bool(each.__flags__ & IMMUTABLE_TYPE) or each in ONLY_COMPARED
        elif type(each) is memoryview:
            is_safe = each.readonly or _writes_counts(each, found)
        else:  # a module is what a function in C belongs to, which asks it for nothing
            is_safe = type(each) in UNCHANGING or type(each) is types.ModuleType
        if not is_safe:
            left.append(each)
    return left


def test_what_the_hook_uses_nobody_else_can_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `struct.Struct` that makes the headers of frames takes another format at any time."""
    hooks: list[types.FunctionType] = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    known = reporter.describe_handler(reporter.make_handler(), (1 << 30, 1 << 31))
    ends = pipes.Pipes(-1, -1, b"O", b"Q", b"Z", b"S")
    privileged = vault.install(ends, ("<program>",), reporter.report.__code__, known, frozenset())
    (hook,) = hooks
    assert changeable(hook) == []
    codes = {o for o in reached_from(hook) if type(o) is types.CodeType}
    codes |= {o.__code__ for o in reached_from(hook) if type(o) is types.FunctionType}
    named = {code.co_name for code in codes if id(code) in privileged}
    assert named == {"compile_", "next_job", "ask", "load_codes", "send_codes", "on_signal"}


# A program that finds a builder gives it functions of its own, and gets permitted code around them.
REBUILD = """
def fake(**names):
    static = {k: staticmethod(v) if callable(v) else v for k, v in names.items()}
    return type("Fake", (), static)
def nothing(*a, **k):
    return None
class View:
    def cast(self, kind): return self
    def toreadonly(self): return self
caught, partial = [], sys.modules["functools"].partial
vault = sys.modules["sandbox.interpreter.vault.vault"]
ends = fake(**dict.fromkeys(
    "send finish violate begin take_job ask flush release is_writing".split(), nothing))
views = fake(**dict.fromkeys(
    "is_own pause asker code_of back_of behind calling_module give_defaults"
    " scope links variables".split(), nothing))
powers = fake(compile=nothing, evaluate=nothing, behind=nothing, collect=nothing, peak=nothing)
vault.__dict__.update(
    codes_in=lambda *a: (), open_ends=lambda *a: ends, open_views=lambda *a: views,
    open_powers=lambda *a: powers, libc=fake(all_memory=View),
    os=fake(write=nothing, _exit=nothing),
    marshal=fake(dumps=nothing, loads=partial(a_code.replace, co_name="x")),
    gc=fake(**dict.fromkeys("disable enable isenabled collect freeze".split(), nothing)),
    sys=fake(addaudithook=caught.append))
vault.install(fake(result=1), frozenset(), None, (None, (0, 0), (), 0), frozenset())
for cell in caught[0].__closure__:
    owner = getattr(cell.cell_contents, "__self__", None)
    if type(owner) is dict and "sandbox.load_codes" in owner:
        print("GOT", owner["sandbox.load_codes"][1](None, ()))
"""
# All that a program without guards comes to by Python's own attributes, and the code in there.
WALK = """
stack, seen, codes = [sys.modules, granted, a_frame], set(), 0
function = type(lambda: 1)
while stack:
    o = stack.pop()
    if id(o) in seen:
        continue
    seen.add(id(o))
    kind = type(o)
    stack.append(kind)
    if kind is function:
        stack += [o.__code__, o.__globals__, o.__defaults__, o.__kwdefaults__]
        for cell in o.__closure__ or ():
            try:
                stack.append(cell.cell_contents)
            except ValueError:
                pass
    elif kind is type(a_code):
        codes += 1
        where = o.co_filename.replace("\\\\", "/")
        own = where.rpartition("sandbox/interpreter/vault/")[2]
        if own == "vault.py" and o.co_name in ("load_codes", "send_codes"):
            print("GOT", o)
        if own.startswith("p") and own != where and o.co_name in ("compile_", "next_job", "ask"):
            print("GOT", o)
        if o.co_name in ("on_signal", "hook") and "sandbox/" in where:
            print("GOT", o)
        stack += o.co_consts
    elif kind is type(a_frame):
        stack += [o.f_back, o.f_globals, o.f_locals]
    elif issubclass(kind, dict):
        stack += list(dict.values(o)) + list(dict.keys(o))
    elif issubclass(kind, (list, tuple, set, frozenset)):
        stack += list(o)
    elif issubclass(kind, type):
        stack += [*type.__dict__["__dict__"].__get__(o).values(), *o.__mro__]
        stack += type.__subclasses__(o)
    elif kind is type(granted.compile_text.__get__(1)):
        stack += [o.__func__, o.__self__]
    else:
        try:
            stack.append(object.__getattribute__(o, "__dict__"))
        except AttributeError:
            pass
        for name in ("__func__", "__wrapped__", "fget", "func", "args"):
            try:
                stack.append(object.__getattribute__(o, name))
            except AttributeError:
                pass
print(codes > 5000, len(seen) > 50000)
"""


def test_nobody_builds_the_vault_again() -> None:
    """Code that the vault permits, around what a program chose, would have the vault's powers."""
    with unguarded(measure="child") as sandbox:
        result = sandbox.run(REBUILD)
    assert "GOT" not in result.stdout, result
    assert "has no attribute 'install'" in result.error, result


def test_no_program_comes_to_code_that_the_vault_permits() -> None:
    with unguarded(measure="child") as sandbox:
        result = sandbox.run(WALK)
    assert (result.status, result.stdout) == (Status.OK, "True True\n"), result


@pytest.mark.parametrize(
    ("builder", "code"),
    [
        ("sandbox.interpreter.vault.vault.install", "load_codes"),
        ("sandbox.interpreter.vault.pipes.open_ends", "next_job"),
        ("sandbox.interpreter.vault.powers.open_powers", "compile_"),
        ("sandbox.runtime.child.reporter.make_handler", "on_signal"),
    ],
)
def test_a_builder_that_something_still_leads_to_keeps_the_sandbox_shut(
    builder: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = builder.rpartition(".")[0]
    kept = f"import {module}\nfrom sandbox import errors\nerrors.PolicyError.kept = {builder}\n"
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({kept!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxUnavailable, match=f"code of the vault's '{code}'") as refused:
        Sandbox("strict", workers=1)
    assert refused.value.layer == "interpreter"
