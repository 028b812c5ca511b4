"""A program that enters a world where another has been finds it as it was built.

Every program has a process of its own, so nothing depends on this; it is what would be left of that
promise if a process were used twice. These tests do use one twice.
"""

import gc
import os
import sys
from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from sandbox.language.compile.compiler import compile_program
from sandbox.language.guest.collector import Collector, emptying
from sandbox.language.guest.world import World, enter

PROGRAMS = Path(__file__).parents[1] / "compat" / "programs"
# What a program does, and what the next one prints if nothing of that is left.
CHANGES = {
    "the clock": (
        "import time\ntime.sleep(1e12)",
        "import time\nprint(time.time() < 1e11)",
        "True",
    ),
    "the decimal context": (
        "import decimal\ndecimal.getcontext().prec = 3",
        "from decimal import Decimal\nprint(+Decimal('1.2345'))",
        "1.2345",
    ),
    "an abstract class": (
        "import numbers\nnumbers.Number.register(str)",
        "import numbers\nprint(isinstance('x', numbers.Number), isinstance(1, numbers.Number))",
        "False True",
    ),
    "the number of tasks": (
        "import asyncio\nasync def f(): pass\nasyncio.run(f())",
        "import asyncio\nasync def f(): return asyncio.current_task().get_name()\n"
        "print(asyncio.run(f()))",
        "Task-1",
    ),
    "a thread's attributes": (
        "import threading\nthreading.main_thread().mine = 1",
        "import threading\nprint(hasattr(threading.main_thread(), 'mine'))",
        "False",
    ),
    "the environment": (
        "import os\nos.environ['X'] = '1'",
        "import os\nprint(os.environ)",
        "{}",
    ),
    "a finalizer that comes late": (
        "import random\nclass Late:\n    def __del__(self): random.seed(5)\nx = Late()\nx.me = x",
        "import random\nprint(random.random() == 0.6229016948897019)",
        "False",
    ),
}
CHAIN = """
class Late:
    def __del__(self):
        again = Late()
        again.itself = again
late = Late()
late.itself = late
"""


def perform(world: World, source: str, stdin: str = "") -> str:
    """Run `source` in this process. An error ends up in what it printed."""
    printed: list[bytes] = []
    main, streams = sys.modules["__main__"], (sys.stdin, sys.stdout, sys.stderr)
    output = Collector(emptying(printed.append), 1 << 22, lambda: None)
    plan = world.plan
    try:
        scope = enter(world, stdin=stdin, output=output, plan=plan, source=source)
        exec(compile_program(source, plan), scope)
    except SandboxError:
        raise
    except BaseException as error:
        output.send()
        printed.append(f"{type(error).__name__}: {error}".encode())
    finally:
        sys.modules["__main__"] = main
        sys.stdin, sys.stdout, sys.stderr = streams
        output.send()
    return b"".join(printed).decode()


def in_a_child(work: object) -> str:
    """What `work()` returns, asked of a fork: what it does to this interpreter is lost."""
    assert callable(work)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        gc.freeze()  # what other tests left behind is no program of this one's
        try:
            os.write(writing, str(work()).encode()[:60000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize("what", CHANGES)
def test_what_one_program_changed_is_as_before_for_the_next(widest: World, what: str) -> None:
    change, ask, answer = CHANGES[what]

    def twice() -> str:
        done = perform(widest, change)
        return f"{done}|{perform(widest, ask)}"

    assert in_a_child(lambda: perform(widest, ask)) == f"{answer}\n"
    assert in_a_child(twice) == f"|{answer}\n"


@pytest.mark.parametrize("what", sorted(CHANGES.keys() - {"a finalizer that comes late"}))
def test_without_the_renewal_the_next_program_would_meet_it(widest: World, what: str) -> None:
    change, ask, answer = CHANGES[what]

    def twice() -> str:
        perform(widest, change)
        widest.session.entered = False
        return perform(widest, ask)

    assert in_a_child(twice) != f"{answer}\n"


def test_a_world_in_which_code_of_a_program_lives_on_is_not_entered_again(widest: World) -> None:
    def twice() -> str:
        perform(widest, CHAIN)
        try:
            return perform(widest, "print('entered')")
        except SandboxError as error:
            return str(error)

    assert "code of an earlier program is still in this process" in in_a_child(twice)


def test_programs_one_after_the_other_print_what_each_prints_alone(widest: World) -> None:
    """Ordinary ones, with all that they import, in one process."""
    texts = [p.read_text() for p in sorted(PROGRAMS.glob("*.txt")) if p.stem != "finalizers"]
    parts = [part.partition("\n")[2] for text in texts for part in text.split("### ")[1:]]
    # Those say by which addresses or at what depth they ran, or what was collected.
    programs = [p for p in parts if not any(word in p for word in ("id(", "recursion", "__del__"))]
    given = [_split(program) for program in programs[::12]]
    assert len(given) > 40
    alone = [in_a_child(lambda each=each: perform(widest, *each)) for each in given]

    def all_of_them() -> str:
        together = [perform(widest, *each) for each in given]
        pairs = zip(alone, together, given, strict=True)
        return "\n".join(f"{each}: {one!r} {two!r}" for one, two, each in pairs if one != two)

    assert in_a_child(all_of_them) == ""


def _split(text: str) -> tuple[str, str]:
    lines = text.splitlines()
    given = "".join(f"{line[4:]}\n" for line in lines if line.startswith("<<<"))
    return "\n".join(line for line in lines if not line.startswith("<<<")) + "\n", given
