"""The files of a job: put into the program's tree before it starts, and taken out at its end."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.guest.files.tree import WORKING_DIRECTORY, Node, Tree
from sandbox.policy.limits import Limits
from sandbox.runtime.wire import files
from sandbox.runtime.wire.protocol import FILE

_WILD = ("*", "?")


class TooManyFiles(Exception):
    """More is to come back than the limits allow. The message says so."""


def place(tree: Tree, given: Mapping[str, Any]) -> None:
    """Put the files of a job into `tree`: the caller has checked their names."""
    for name, content in given.items():
        path = _path(name)
        parts = path.split("/")[1:-1]
        for count in range(1, len(parts) + 1):
            above = "/" + "/".join(parts[:count])
            if tree.get(above) is None:
                tree.make_directory(above)
        node = tree.open_node(path, create=True, exclusive=False, truncate=False)
        node.data = content


def _path(name: str) -> str:
    return name if name.startswith("/") else f"{WORKING_DIRECTORY}/{name}"


def send(tree: Tree, fetch: Sequence[str], limits: Limits) -> None:
    """Send a frame of each file that `fetch` names, in the order of their names.

    Names that no result can have are left out. Raises TooManyFiles, before anything is sent.
    """
    chosen: dict[str, Node] = {}
    for name, node in _named(tree, fetch):
        chosen[name] = node
        if len(chosen) > limits.files_count:
            raise TooManyFiles(f"files limit: more than {limits.files_count:,} files to come back")
    if sum(len(node.data or b"") for node in chosen.values()) > limits.files_kib << 10:
        raise TooManyFiles(f"files limit: more than {limits.files_kib} KiB of files to come back")
    for name in sorted(chosen):
        asking.send(FILE, files.packed(name, bytes(chosen[name].data or b"")))


def _named(tree: Tree, fetch: Sequence[str]) -> Iterator[tuple[str, Node]]:
    wild = [pattern for pattern in fetch if any(char in pattern for char in _WILD)]
    for name in fetch:
        if name not in wild:
            node = tree.get(_path(name))
            if node is not None and node.data is not None:
                yield name, node
    for prefix in ("", "/mnt/", "/tmp/"):
        below = [each for each in wild if each[:1] == prefix[:1] or not (prefix or each[0] == "/")]
        top = tree.get(_path(prefix))
        if below and top is not None:
            yield from _matching(top, prefix, below)


def _matching(top: Node, prefix: str, wild: Sequence[str]) -> Iterator[tuple[str, Node]]:
    """Walk without recursion: a program may nest as deep as its memory goes."""
    todo = [(top, prefix)]
    while todo:
        above, begin = todo.pop()
        for part, node in (above.children or {}).items():
            name = begin + part
            if files.wrong_name(name):
                continue
            if node.children is not None:
                todo.append((node, f"{name}/"))
            elif node.data is not None and files.is_named(name, wild):
                yield name, node
