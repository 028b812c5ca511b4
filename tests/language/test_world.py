"""Grants: what is there is what the policy says."""

import builtins
import importlib
import sys

import harness
import pytest
from host_names import host_private_names

from sandbox.errors import PolicyError, SandboxError
from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.compile.compiler import Refused, compile_program
from sandbox.language.compile.dialect import SHAPES
from sandbox.language.compile.names import GUARDED_NAMES, SAFE_PRIVATE
from sandbox.language.guest.state import new_main
from sandbox.language.guest.world import enter
from sandbox.language.stdlib.catalog import SINCE, supported


@pytest.mark.parametrize(
    "changes",
    [{"builtins": ("compile",)}, {"modules": {"ctypes": ()}}, {"modules": {"sys": ("modules",)}}],
)
def test_a_grant_of_what_nobody_looked_at_is_a_policy_error(changes):
    with pytest.raises(PolicyError, match="does not support"):
        harness.world(**changes)


def test_only_granted_names_exist():
    small = harness.world(builtins=("print", "len"), modules={"math": ("pi",)})
    source = """
import math
print(math.pi, len("ab"))
try: math.sin
except AttributeError as error: print(error)
try: sum
except NameError as error: print(error)
"""
    # Exceptions are builtins like any other, so this policy has none to catch them with.
    assert harness.run(small, "import math\nprint(math.pi)").output == "3.141592653589793\n"
    assert harness.run(small, source).status == "DENIED"
    assert harness.run(small, "sum([1])").error.startswith("builtin 'sum' is denied")


def _modules():
    """The modules of the catalog that this Python has, with their names."""
    _, modules = supported()
    return {m: names for m, names in modules.items() if sys.version_info >= SINCE.get(m, ())}


def test_everything_in_the_catalog_exists_if_this_python_has_it(run):
    modules = _modules()
    missing = []
    for module, names in modules.items():
        source = f"import {module} as m\nprint([n for n in {names!r} if not hasattr(m, n)])"
        ran = run(source)
        assert ran.status == "OK", (module, ran)
        real = importlib.import_module(module)
        missing += [f"{module}.{name}" for name in eval(ran.output) if hasattr(real, name)]
    assert missing == []


def test_a_granted_module_is_no_module_of_the_import_system(run):
    modules = _modules()
    real = {id(module) for module in sys.modules.values()}
    source = "\n".join(f"import {m} as m{i}\nprint(id(m{i}))" for i, m in enumerate(modules))
    shown = set(map(int, run(source).output.split()))
    assert len(shown) == len(modules)
    assert not shown & real


def test_the_guest_has_builtins_of_its_own(run):
    names, _ = supported()
    assert set(names) <= {*dir(builtins), "exit", "quit", "PythonFinalizationError"}
    assert run("print = 5\nimport builtins\nbuiltins.print('mine')").output == "mine\n"


def test_code_in_a_namespace_without_builtins_has_none():
    for names in ({}, {"__name__": "__main__"}):
        for local in (None, {}, names):
            with pytest.raises(NameError):
                evaluate(compile("len", "<text>", "eval"), names, local)


def test_no_private_name_of_a_host_class_is_unknown(widest):
    assert host_private_names() - GUARDED_NAMES - SAFE_PRIVATE == set()


def test_no_name_is_guarded_that_a_class_of_the_programs_own_name_reads_without_a_guard():
    """`__x` is compiled to `_C__x`, and only then is it one of these."""
    assert [name for name in GUARDED_NAMES if "__" in name.strip("_")] == []


def test_a_node_that_nobody_looked_at_is_refused(monkeypatch):
    import ast

    monkeypatch.delitem(SHAPES, ast.While)
    with pytest.raises(Refused, match="'While' is not part of the language"):
        compile_program("while 1: type(a)", harness.plan())


def test_futures_of_ours_are_not_inherited():
    code = compile_program("def f(x: 1 + 1): pass\nprint(f.__annotations__)", harness.plan())
    assert code.co_flags & 0x1000000 == 0  # CO_FUTURE_ANNOTATIONS


def test_without_the_language_layer_python_is_whole():
    open_world = harness.world(language=False)
    ran = harness.run(
        open_world, "import sys\nprint(sys.modules['os'].getpid() > 0, input())", "x\n"
    )
    assert (ran.output, ran.status) == ("True x\n", "OK")
    ran = harness.run(open_world, "print('a'); 1/0")
    assert (ran.output, ran.status) == ("a\n", "ERROR")


def test_random_is_the_same_in_every_child(run):
    source = "import random\nprint(random.random(), random.Random().random(), random.choice('abc'))"
    assert run(source).output == run(source).output


def test_what_uuid_draws_is_the_same_in_every_child_and_after_any_seed(run):
    draws = "import uuid\nprint(uuid.uuid4(), uuid.uuid1(), uuid.uuid1().time, uuid.uuid1().node)"
    first = run(draws).output
    assert first == run(draws).output
    assert first == run(f"import random\nrandom.seed(5); random.random()\n{draws}").output
    after = "\nrandom.seed(5)\na = random.random()\nuuid.uuid4()\nrandom.seed(5)"
    assert run(f"import random, uuid{after}\nprint(a == random.random())").output == "True\n"


def test_what_uuid_draws_says_nothing_of_the_machine(run):
    ones = run("import uuid\nprint(*[uuid.uuid1().node >> 40 & 1 for _ in range(9)])").output
    assert set(ones.split()) == {"1"}  # no network card has such an address
    year = (
        "print(datetime.datetime(1582, 10, 15) + datetime.timedelta(0, 0, uuid.uuid1().time // 10))"
    )
    assert run(f"import datetime, uuid\n{year}").output == "2025-01-01 00:00:00\n"


def test_the_recursion_limit_is_capped_by_the_policy():
    small = harness.world(limits=harness.LIMITS.__class__(**{**_limits(), "recursion_limit": 500}))
    source = (
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return n and f(n - 1)\nprint(f(%d))"
    )
    assert harness.run(small, source % 300).output == "0\n"
    assert harness.run(small, source % 600).status == "RECURSION_LIMIT"


def _limits() -> dict[str, object]:
    return harness.plan().to_dict()["limits"]


def test_a_deep_recursion_works_as_deep_as_cpythons(run):
    source = "def f(n): return n and f(n - 1)\nprint(f(%d))"
    assert run(source % 990).output == "0\n"
    assert run(source % 1000).status == "RECURSION_LIMIT"


class _WithoutHash(type):
    def __eq__(cls, other: object) -> bool:
        raise AssertionError("a class of somebody else's was asked")


STRANGE = {
    "names no module": "made = type('C', (), {})",
    "has no hash": "made = meta('C', (), {'__module__': 'elsewhere'})",
}


@pytest.mark.parametrize("what", STRANGE)
def test_a_world_is_built_beside_a_class_of_another_package_that(what):
    names: dict[str, object] = {"__builtins__": {"type": type}, "meta": _WithoutHash}
    exec(STRANGE[what], names)
    assert names["made"] is not None
    assert harness.run(harness.world(builtins=("print",), modules={}), "print(1)").output == "1\n"


def test_the_module_of_the_program_asks_nothing_of_the_program(widest):
    main = new_main(widest.state)
    vars(main)["__getattr__"] = vars(main)["__dir__"] = "a function that would be lent".index
    with pytest.raises(AttributeError):
        main.missing  # noqa: B018
    assert main.__name__ == "__main__"


def test_a_world_that_a_program_has_been_in_is_not_entered_again(widest, monkeypatch):
    monkeypatch.setattr(widest.state, "entered", True)
    with pytest.raises(SandboxError, match="a process of its own"):
        enter(widest, stdin="", output=widest.state.output, plan=widest.plan)
