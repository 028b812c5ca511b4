"""The place where attacks are let loose: canaries, listeners and a bystander, all of our own."""

import contextlib
import os
import secrets
import selectors
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from .bystander import Bystander

_VARIABLE = "ARENA_SECRET"
_WHAT_IS_NEW = b"?"  # asked of the thread that listens
_PATIENCE_SECONDS = 5.0


class Evidence(NamedTuple):
    """An observation from outside: by which oracle, and what exactly."""

    oracle: str
    detail: str


class Arena:
    """A context: what attacks aim at, and whether they hit it.

    Each attempt has a token of its own, which is part of the paths it may write and of what it
    sends, so that what happened is the doing of one attempt though many run at once.
    """

    def __init__(self) -> None:
        self.secrets = {
            name: f"CANARY{secrets.token_hex(12)}"
            for name in ("file", "environment", "bystander", "neighbour", "expected")
        }
        self.mark = f"mark-{secrets.token_hex(8)}:"  # what the inspector puts before its finding
        self._count = 0
        self._lock = threading.Lock()
        self._heard: list[bytes] = []

    def __enter__(self) -> "Arena":
        self._root = Path(tempfile.mkdtemp(prefix="arena-"))
        self._root.chmod(0o755)
        self.canary = self._root / "canary"
        self.canary.write_text(self.secrets["file"])
        self.canary.chmod(0o644)
        self.drop = self._root / "drop"
        self.drop.mkdir()
        self.drop.chmod(0o777)
        self._canary_before = self._canary_state()
        os.environ[_VARIABLE] = self.secrets["environment"]
        self._listen()
        self.bystander = Bystander(self.secrets["bystander"])
        return self

    def __exit__(self, *_: object) -> None:
        os.environ.pop(_VARIABLE, None)
        self.bystander.close()
        self._wake.close()
        self._listening.join(5)
        shutil.rmtree(self._root, ignore_errors=True)

    def token(self) -> str:
        """Return a name for the next attempt."""
        with self._lock:
            self._count += 1
            return f"t{self._count:06d}x"

    def fill(self, text: str, token: str) -> str:
        """Return `text` with the places of this arena in it."""
        if "@" not in text:
            return text
        for name, value in (
            ("@CANARY@", str(self.canary)),
            ("@WITNESS@", str(self.witness(token))),
            ("@DROP@", str(self.drop)),
            ("@ARENA@", str(self._root)),
            ("@PORT@", str(self.port)),
            ("@SOCKET@", self.abstract),
            ("@TOKEN@", token),
            ("@VICTIM@", str(self.bystander.pid)),
            ("@ADDRESS@", str(self.bystander.address)),
            ("@VARIABLE@", _VARIABLE),
        ):
            text = text.replace(name, value)
        return text

    def witness(self, token: str) -> Path:
        """Return the path of the file that must not appear."""
        return self.drop / f"witness-{token}"

    def look(self, token: str, texts: list[str]) -> list[Evidence]:
        """Return what an attempt has brought about or brought out."""
        found = [
            Evidence("canary", f"the {name}'s secret came out")
            for name, secret in self.secrets.items()
            if any(_shows(text, secret) for text in texts)
        ]
        if os.path.lexists(self.witness(token)):
            found.append(Evidence("witness", "a file was made outside"))
        if any(token.encode() in said for said in self._heard_by_now()):
            found.append(Evidence("connection", "a listener of the host was reached"))
        return found

    def look_around(self) -> list[Evidence]:
        """Return what was done to the canary's file or the bystander since it was last asked."""
        found = [Evidence("bystander", change) for change in self.bystander.changes()]
        now = self._canary_state()
        if now != self._canary_before:
            found.append(Evidence("canary file", f"{self._canary_before} became {now}"))
            self._mend_canary()
        return found

    def _canary_state(self) -> tuple[object, ...]:
        state = os.lstat(self.canary)
        names = os.listxattr(self.canary) if hasattr(os, "listxattr") else []
        return state.st_mode, state.st_uid, state.st_nlink, state.st_mtime_ns, state.st_size, *names

    def _mend_canary(self) -> None:
        self.canary.unlink()
        self.canary.write_text(self.secrets["file"])
        self.canary.chmod(0o644)
        self._canary_before = self._canary_state()

    # -- listeners

    def _listen(self) -> None:
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        self.abstract = f"arena-{os.getpid()}-{self.port}"
        unix = socket.socket(socket.AF_UNIX)
        unix.bind(f"\0{self.abstract}")
        unix.listen()
        self._wake, far = socket.socketpair()
        self._asking, self._answered = threading.Lock(), threading.Event()
        self._listening = threading.Thread(
            target=self._serve, args=(tcp, udp, unix, far), daemon=True, name="arena-listeners"
        )
        self._listening.start()

    def _serve(self, *sockets: socket.socket) -> None:
        *listeners, far = sockets
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            for each in sockets:
                stack.enter_context(each)
                selector.register(each, selectors.EVENT_READ)
            asked = False
            while True:
                events = selector.select(0 if asked else None)
                said = [key.fileobj for key, _ in events if key.fileobj is not far]
                for ready in said:
                    assert isinstance(ready, socket.socket)
                    with contextlib.suppress(OSError):
                        self._hear(ready, stream=ready in (listeners[0], listeners[2]))
                if len(said) < len(events):
                    if far.recv(1) != _WHAT_IS_NEW:
                        return
                    asked = True
                elif asked and not said:  # whatever came before the question has been heard
                    asked = False
                    self._answered.set()

    def _heard_by_now(self) -> list[bytes]:
        """Return what came in until now.

        A connection waits in its queue for the thread to take it.
        """
        with self._asking:
            self._answered.clear()
            self._wake.send(_WHAT_IS_NEW)
            self._answered.wait(_PATIENCE_SECONDS)
            return list(self._heard)

    def _hear(self, ready: socket.socket, *, stream: bool) -> None:
        if not stream:
            self._heard.append(ready.recv(4096))
            return
        connection, _ = ready.accept()
        with connection:
            connection.settimeout(0.5)
            self._heard.append(connection.recv(4096))


def _shows(text: str, secret: str) -> bool:
    """Say whether `text` holds `secret`, plainly or in a simple disguise."""
    return secret in text or secret[::-1] in text or secret.encode().hex() in text
