"""Other people's ways to run untrusted Python, as far as they are installed here."""

import contextlib
import io
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import warnings
from importlib.metadata import PackageNotFoundError, version
from types import FrameType
from typing import Any

from benchmarks.side_by_side.contenders import Absent, Contender, OnFile
from benchmarks.side_by_side.programs import Program


class ManagerProcess(Contender):
    """The pattern of human-eval's checker: a multiprocessing manager and a process per sample."""

    name = "multiprocessing.Manager per sample"

    def open(self) -> None:
        # As it is on Linux before 3.14: a fork of this process.
        self._context: Any = multiprocessing.get_context("fork")

    def run(self, program: Program) -> str:
        with self._context.Manager() as manager:
            answers = manager.list()
            process = self._context.Process(target=_execute, args=(program.source, 5, answers))
            process.start()
            process.join(timeout=6)
            if process.is_alive():
                process.kill()
            return answers[0] if answers else ""


def _execute(source: str, seconds: int, answers: Any) -> None:
    def out_of_time(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    captured = io.StringIO()
    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(captured):
        os.chdir(folder)
        exec(source, {"__name__": "__main__"})
        os.chdir("/")
    signal.setitimer(signal.ITIMER_REAL, 0)
    answers.append(captured.getvalue())


class Bubblewrap(OnFile):
    """bwrap with every namespace, then a fresh interpreter."""

    name = "bubblewrap + python"

    def open(self) -> None:
        if shutil.which("bwrap") is None:
            raise Absent("bwrap is not installed")
        super().open()

    def command(self, file: str) -> list[str]:
        jail = "bwrap --unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev"
        return [*jail.split(), sys.executable, "-I", "-S", file]


class Sandlock(OnFile):
    """The package sandlock (Landlock and seccomp), then a fresh interpreter."""

    name = "sandlock + python"

    def open(self) -> None:
        try:
            from sandlock import Sandbox
        except ImportError:
            raise Absent("sandlock is not installed") from None
        self.name = f"sandlock {_version('sandlock')} + python"
        super().open()
        folders = ["/usr", "/lib", "/lib64", "/etc", sys.prefix, sys.base_prefix, self._folder.name]
        self._readable = [folder for folder in folders if os.path.isdir(folder)]
        self._sandbox: Any = Sandbox

    def run(self, program: Program) -> str:
        command = [sys.executable, "-I", "-S", self._files[program.name]]
        result = self._sandbox(fs_readable=self._readable).run(command, timeout=30)
        return str(result.stdout.decode())


class Monty(Contender):
    """The package pydantic-monty: another interpreter, in a pool of worker processes."""

    name = "pydantic-monty"
    samples = 10

    def open(self) -> None:
        try:
            from pydantic_monty import CollectString, Monty
        except ImportError:
            raise Absent("pydantic-monty is not installed") from None
        self.name = f"pydantic-monty {_version('pydantic-monty')} (not CPython)"
        self._collect: Any = CollectString
        self._pool: Any = Monty()
        self._pool.__enter__()

    def run(self, program: Program) -> str:
        printed = self._collect()
        with self._pool.checkout() as session:
            session.feed_run(program.source, print_callback=printed)
        return str(printed.output)

    def close(self) -> None:
        self._pool.__exit__(None, None, None)


class InProcess(Contender):
    """RestrictedPython as it comes, in this very process: no limits, no isolation."""

    name = "RestrictedPython in process"
    samples = 10
    concurrency = 1  # it holds the interpreter's lock

    def open(self) -> None:
        from RestrictedPython import PrintCollector, compile_restricted, safe_builtins
        from RestrictedPython.Guards import guarded_iter_unpack_sequence, guarded_unpack_sequence

        warnings.filterwarnings("ignore", message=".*never reads 'printed'", category=SyntaxWarning)
        self._compile = compile_restricted
        self._scope: dict[str, Any] = {
            "__builtins__": safe_builtins | {"range": range},
            "_print_": PrintCollector,
            "_getiter_": iter,
            "_getattr_": getattr,
            "_unpack_sequence_": guarded_unpack_sequence,
            "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
        }

    def run(self, program: Program) -> str:
        scope = dict(self._scope)
        exec(self._compile(program.source, "<program>", "exec"), scope)
        return str(scope["_print"]())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


PEERS = (InProcess, Monty, ManagerProcess, Bubblewrap, Sandlock)
