"""The state of one child: its streams, its globals and how deep its stack was when it started."""

import operator
import sys
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import PROGRAM_FILES
from sandbox.language.compile.rewriting import GETATTR
from sandbox.language.guest.clock import Clock, FixedClock
from sandbox.language.guest.collector import Collector, Complaints, SharedCollector
from sandbox.language.guest.ends.denials import denied_file
from sandbox.language.guest.files.opening import FileSystem
from sandbox.language.guest.stdio import TextIn, TextOut, opened
from sandbox.policy.plan import Plan

if TYPE_CHECKING:
    from sandbox.language.natives.values.numbering import Numbers

_START_LIMIT = 1000  # CPython's own default
# Below the program's first frame: what is C in CPython and Python here, as print() is, needs some.
_FEWEST_FRAMES = 32
OWN_FRAMES = 1 if sys.version_info >= (3, 12) else 2  # 3.11 counts the call of a function in C


def stack_depth() -> int:
    """Return how deep the stack is at the caller, in frames, as the recursion limit counts.

    CPython says it when it refuses a limit; to walk along the frames would make an object of each.
    """
    try:
        sys.setrecursionlimit(1)
    except RecursionError as refusal:
        return int(str(refusal).partition(" depth ")[2].partition(":")[0]) - OWN_FRAMES
    raise RuntimeError("the stack is empty")  # which no running code can find


def _stop() -> NoReturn:
    raise MemoryError("nothing can be printed before a program has begun")


class GuestMain(types.ModuleType):
    """The module that a program under the language layer runs as.

    That there is one says on whose behalf patched modules are called: a program reaches what is in
    the namespace of its module, and neither the module nor what says which one is in force.
    """

    __slots__ = ("guest_builtins",)
    guest_builtins: dict[str, Any]
    # A module's own would call a `__getattr__` in its namespace, which is the program's.
    __getattribute__ = object.__getattribute__


class GuestState:
    """Made empty when the world is built, and entered once, in the child."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.builtins: dict[str, Any] = {}
        self.sys: dict[str, Any] = {}  # the namespace of the guest's `sys`, granted or not
        self.facades: list[dict[str, Any]] = []  # those of its facades, the library's too
        kind = SharedCollector if plan.threads else Collector
        self.output = kind(list.clear, 0, _stop)  # of the children of a supervisor
        self.streams_of: Collector | None = None  # whose there are, and no program has had
        self.stdin: Any = None
        self.before: list[Any] = []
        self.stdout: Any = None
        self.main: dict[str, Any] = {}
        self.services: dict[str, Callable[..., Any]] = {}  # of the caller, where it lends any
        self.beside = self.source = ""
        self.imported: list[str] = []  # the texts of modules of its own
        self.files = FileSystem()
        self.clock = FixedClock() if plan.deterministic else Clock()
        self.numbers = _numbers() if plan.deterministic else None
        self.depth = 0
        self.recursion_limit = _START_LIMIT
        self.has_input = False  # the last cell of a session had some
        self.noticing = False  # a text that the program ran may notice its end
        self.entered = False  # by a program, since the world was built
        self.exit_calls: list[Any] = []  # what the program registered with `atexit`
        self.forgetting: list[Callable[[], object]] = []  # of what guards keep of a program

    def text(self) -> str:
        """Return the program and what runs in its namespace before and after it."""
        return "\n".join([self.beside, self.source, *self.imported])

    def forget(self) -> None:
        """Let go of everything of the program's own that guards keep."""
        for forget in self.forgetting:
            forget()

    def was_warmed_up(self) -> None:
        """Take everything for new: the program was ours, and left nothing behind."""
        self.entered, self.streams_of = False, self.output

    def open_streams(self, stdin: str, output: Collector) -> None:
        """Give the guest its standard streams: the ones that there are, if they are for `output`.

        To make them takes a child some fifty pages. With input the stream that reads it is new.
        """
        there_are, self.streams_of = self.streams_of is output, None
        streams: dict[str, Any] = {}
        if stdin or not there_are:
            self.before.append(self.stdin)  # at its end C sets an attribute: that costs a question
            streams["stdin"] = self.stdin = TextIn(stdin)
        if not there_are:
            streams["stdout"] = self.stdout = TextOut(output, "<stdout>", 1)
            streams["stderr"] = TextOut(Complaints(output), "<stderr>", 2)
        for name, stream in streams.items():
            self.set_stream(name, stream)
            self.set_stream(f"__{name}__", stream)

    def renew_input(self, stdin: str) -> None:
        """Give the next cell of a session its own input, unless the program has put a stream there.

        Where there is none and the last cell had none, all stays as it is.
        """
        if not stdin and (not self.has_input or self.sys["stdin"] is not self.stdin):
            return
        self.has_input = bool(stdin)
        self.before.append(self.stdin)
        self.stdin = TextIn(stdin)
        self.set_stream("stdin", self.stdin)
        self.set_stream("__stdin__", self.stdin)

    def set_stream(self, name: str, stream: Any) -> None:
        """Rebind a standard stream, for the guest and for library code that prints for it."""
        self.sys[name] = stream
        for facade in self.facades:
            if name in facade:
                facade[name] = stream
        vars(sys)[name] = stream  # a store would ask whether it is a facade

    def standard_stream(
        self, number: int, modes: str, encoding: Any, errors: Any, newline: Any
    ) -> Any:
        """Return a standard stream, as `open` gives it by its number."""
        if (number == 0) != (modes[0] == "r"):
            raise denied_file(number)
        if number == 0:
            stream = self.stdin
            return stream.buffer if "b" in modes else opened(stream, encoding, errors, newline)
        out = self.stdout if number == 1 else self.sys["__stderr__"]
        return out.buffer if "b" in modes else out

    def set_arguments(self, argv: Iterable[str]) -> None:
        """Let `argv` be the command-line arguments of the program that has entered."""
        if self.facades:
            self.sys["argv"][1:] = argv  # the list of each facade that has one
        elif not self.plan.language:
            sys.argv = ["", *argv]

    def set_recursion_limit(self, limit: int) -> None:
        """Let the guest go `limit` frames deep, counted from its own first one."""
        limit = operator.index(limit)
        if limit < 1:
            raise ValueError("recursion limit must be greater or equal than 1")
        depth = max(min(limit, self.plan.limits.recursion_limit), _FEWEST_FRAMES)
        try:
            sys.setrecursionlimit(self.depth + depth)
        except RecursionError:  # it counts frames of ours, too
            text = f"cannot set the recursion limit to {limit} here: the limit is too low"
            raise RecursionError(text) from None
        self.recursion_limit = limit

    def main_copy(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return `names` as the namespace of a piece of code that runs beside the program."""
        clean = {k: v for k, v in names.items() if type(k) is str and ":" not in k}
        return {"__name__": "__main__", **clean}

    def guest_frame(self) -> asking.Scope:
        """Return the namespaces of the guest's innermost frame.

        A guard may be called from a host's function too, and by a library module's code, which may
        import more than the program.
        """
        scope = asking.guest_scope(PROGRAM_FILES)
        if scope is None:
            raise RuntimeError("no frame of the program")
        return scope


def _numbers() -> "Numbers":
    from sandbox.language.natives.values.numbering import Numbers

    return Numbers()


_MAIN = {
    **dict.fromkeys(("__doc__", "__package__", "__loader__", "__spec__")),
    "__name__": "__main__",
}


def new_main(state: GuestState) -> types.ModuleType:
    """Make the module for a program to run as."""
    kind = GuestMain if state.plan.language else types.ModuleType
    main = types.ModuleType.__new__(kind)
    if type(main) is GuestMain:
        object.__setattr__(main, "guest_builtins", state.builtins)
    namespace = vars(main)
    for name, value in _MAIN.items():  # the method that updates dicts is one of ours: more pages
        namespace[name] = value
    return main


def on_behalf_of_guest() -> bool:
    """Say whether a program was entered: before, a patched module serves the host as ever.

    No frame of the guest's need be above us: C code calls what it put into a `__str__` slot.
    """
    return type(sys.modules.get("__main__")) is GuestMain


def classes() -> Any:
    """Return the `Classes` of the program that was entered."""
    main: Any = sys.modules["__main__"]
    return main.guest_builtins["__build_class__"].__self__


def guards() -> Any:
    """Return the `Guards` of the program that was entered."""
    main: Any = sys.modules["__main__"]
    return main.guest_builtins[GETATTR].__self__


def files() -> FileSystem:
    """Return the file system of the program that was entered."""
    system: FileSystem = importer().files
    return system


def importer() -> Any:
    """Return the importer of the program that was entered."""
    main: Any = sys.modules["__main__"]
    return main.guest_builtins["__import__"].__self__


def has_module(name: str) -> bool:
    """Say whether the program that was entered has a module of its own of that name."""
    return name in importer().own.loaded


def is_facade(o: Any, module: str) -> bool:
    """Return True if `o` is what the program that was entered gets for the module of that name."""
    main: Any = sys.modules["__main__"]
    facades = main.guest_builtins["__import__"].__self__.facades
    return o is not None and o is facades.get(module)


def check_open(bases: Iterable[Any]) -> None:
    """Refuse what the program that was entered may not inherit from."""
    classes().check_open(bases)
