"""What tests of contained rewards share: functions by title, and what must not change here."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest

import sandbox


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], dict[str, str]]:
    """Functions of the gate's tests by title."""

    def read(name: str) -> dict[str, str]:
        home = Path(__file__).parents[1] / "audit/reward"
        text = (home / name).read_text(encoding="utf-8")
        return dict(part.split("\n", 1) for part in text.split("### ")[1:])

    return read


class Witness:
    """Files, connections, processes and names of this process that an attack would change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self.before = self._look()

    def unchanged(self) -> bool:
        """True if nothing has happened."""
        try:
            self._listener.accept()[0].close()
        except BlockingIOError:
            return self._look() == self.before
        return False

    def close(self) -> None:
        """Listen no more."""
        self._listener.close()

    def _look(self) -> tuple[Any, ...]:
        modules: list[tuple[ModuleType, str]] = [
            (sandbox, "restricted_execution"),
            (sandbox, "grade"),
            (os, "system"),
            (__import__("json"), "dumps"),
            (__import__("builtins"), "open"),
        ]
        return (
            sorted(os.listdir(self.folder)),
            {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
            os.getcwd(),
            [id(getattr(module, name)) for module, name in modules],
            {t.name for t in threading.enumerate() if t.name.startswith("evil")},
            {p.name() for p in psutil.Process().children() if p.name() in ("sh", "sleep")},
        )


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Witness]:
    """Beside an empty folder, which is the working directory, too."""
    monkeypatch.chdir(tmp_path)
    watching = Witness(tmp_path)
    yield watching
    watching.close()
