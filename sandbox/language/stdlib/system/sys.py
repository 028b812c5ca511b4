"""Stand-ins for `sys`, `timeit`, `traceback` and `hashlib`."""

import importlib.util
import sys as real_sys
import time
from collections.abc import Callable
from typing import Any

from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.guards.classes.class_origin import Kinship
from sandbox.language.guards.evaluation import compile_under
from sandbox.language.guest.clock import FixedClock
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends import traces
from sandbox.language.guest.ends.denials import denied_attribute_of
from sandbox.language.guest.files.tree import WORKING_DIRECTORY
from sandbox.language.guest.state import GuestState
from sandbox.language.natives.patching import ARGUMENT

_RAW = """
byteorder copyright float_info float_repr_style get_int_max_str_digits getdefaultencoding
getrefcount getsizeof hash_info hexversion int_info intern maxsize maxunicode platform
set_int_max_str_digits version version_info exc_info
"""


def sys(context: Context) -> dict[str, Any]:
    """The part of `sys` that says something about the language and nothing about the process."""
    import sys as real

    state = context.state

    def exit(status: Any = None, /) -> None:
        # As C raises it: None gives no argument, a tuple gives them all.
        arguments = () if status is None else status if type(status) is tuple else (status,)
        raise SystemExit(*arguments)

    def setrecursionlimit(limit: int, /) -> None:
        state.set_recursion_limit(limit)

    def getrecursionlimit() -> int:
        return state.recursion_limit

    table = {name: getattr(real, name) for name in _RAW.split()}
    table |= {
        "exit": exit,
        "argv": [""],
        "path": [WORKING_DIRECTORY],
        "setrecursionlimit": setrecursionlimit,
    }
    table["getrecursionlimit"] = getrecursionlimit
    if state.numbers is not None:
        table["getrefcount"] = _count_own(context.classes.kin)
    return table


def _count_own(kin: Kinship) -> Callable[[Any], int]:
    """`getrefcount` for what the program made; of what it shares with the host, that it stays."""
    count = real_sys.getrefcount

    def getrefcount(object: Any, /) -> int:
        kind = type(object)
        own = kind in (list, dict, set, bytearray) or kind not in kin.host
        return count(object) - ARGUMENT if own else _IMMORTAL

    return getrefcount


_IMMORTAL = (1 << 32) - 1  # what CPython 3.12 says of an object that is never freed

_HASHES = """
md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 shake_128 shake_256 blake2b
blake2s
"""


class SysStores:
    """Takes `sys.stdout = x` and its like; `sys` itself takes nothing else."""

    def __init__(self, state: GuestState) -> None:
        object.__setattr__(self, "guard:state", state)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("stdin", "stdout", "stderr"):
            raise denied_attribute_of("sys", name)
        object.__getattribute__(self, "guard:state").set_stream(name, value)


def timeit(context: Context) -> dict[str, Any]:
    """Statements given as text are compiled under the policy."""
    own = context.state.clock
    clock = time.perf_counter
    if isinstance(own, FixedClock):
        from sandbox.language.stdlib.system.fixed_time import perf_counter

        clock = perf_counter(own)

    def runner(statement: Any, names: Any) -> Callable[[], Any]:
        if callable(statement):
            run: Callable[[], Any] = statement
            return run
        code = compile_under(context.state, statement, "exec")
        space = {**context.state.main_copy(names), "__builtins__": context.state.builtins}
        return lambda: evaluate(code, space)

    class Timer:
        def __init__(
            self, stmt: Any = "pass", setup: Any = "pass", timer: Any = clock, globals: Any = None
        ) -> None:
            names: dict[str, Any] = dict(globals or {})
            text = isinstance(stmt, str) and isinstance(setup, str)
            if text:
                self.run, self.prepare = runner(f"{setup}\n{stmt}", names), runner("pass", names)
            else:
                self.run, self.prepare = runner(stmt, names), runner(setup, names)
            self.timer = timer

        def timeit(self, number: int = 1_000_000) -> float:
            self.prepare()
            start = self.timer()
            for _ in range(number):
                self.run()
            elapsed: float = self.timer() - start
            return elapsed

        def repeat(self, repeat: int = 5, number: int = 1_000_000) -> list[float]:
            return [self.timeit(number) for _ in range(repeat)]

    def timeit(
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Any = clock,
        number: int = 1_000_000,
        globals: Any = None,
    ) -> float:
        return Timer(stmt, setup, timer, globals).timeit(number)

    def repeat(
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Any = clock,
        repeat: int = 5,
        number: int = 1_000_000,
        globals: Any = None,
    ) -> list[float]:
        return Timer(stmt, setup, timer, globals).repeat(repeat, number)

    return {"Timer": Timer, "default_timer": clock, "timeit": timeit, "repeat": repeat}


def traceback(context: Context) -> dict[str, Any]:
    """Tracebacks with the program's own frames only."""
    import sys as real

    state = context.state

    def text(exc: BaseException | None) -> str:
        return (
            "NoneType: None\n" if exc is None else traces.render(exc, state.source, printed=False)
        )

    def format_exc(limit: Any = None, chain: bool = True) -> str:
        return text(real.exception())

    def format_exception(exc: Any, value: Any = None, tb: Any = None, **options: Any) -> list[str]:
        return text(value if isinstance(value, BaseException) else exc).splitlines(keepends=True)

    def format_exception_only(exc: Any, value: Any = None, **options: Any) -> list[str]:
        error = value if isinstance(value, BaseException) else exc
        return [text(error).splitlines(keepends=True)[-1]]

    def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
        (file or state.sys["stderr"]).write(text(real.exception()))

    def print_exception(
        exc: Any,
        value: Any = None,
        tb: Any = None,
        limit: Any = None,
        file: Any = None,
        **options: Any,
    ) -> None:
        out = file or state.sys["stderr"]
        out.write(text(value if isinstance(value, BaseException) else exc))

    functions: list[Callable[..., Any]] = [
        format_exc,
        format_exception,
        format_exception_only,
        print_exc,
        print_exception,
    ]
    return {function.__name__: function for function in functions}


def hashlib(context: Context) -> dict[str, Any]:
    """The interpreter's own implementations: OpenSSL is a lot of C that nothing here needs."""
    modules = ("_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_sha3", "_blake2")
    found: dict[str, Any] = {}
    for module in modules:  # 3.12 made one module of _sha256 and _sha512
        if importlib.util.find_spec(module):
            found |= vars(importlib.import_module(module))
    table = {name: found[name] for name in _HASHES.split()}

    def new(name: str, data: bytes = b"", **options: Any) -> Any:
        make = table.get(name.lower())
        if make is None:
            raise ValueError(f"unsupported hash type {name}")
        return make(data)

    names = set(table)
    return {**table, "new": new, "algorithms_available": names, "algorithms_guaranteed": set(names)}
