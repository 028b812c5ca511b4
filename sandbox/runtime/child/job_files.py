"""The files of a job: put where its program finds them, and taken out at its end."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from sandbox.interpreter.vault import asking
from sandbox.language.guest.files.tree import WORKING_DIRECTORY, Node
from sandbox.language.guest.world import World
from sandbox.policy.limits import Limits
from sandbox.runtime.wire import files
from sandbox.runtime.wire.protocol import FILE

_WILD = ("*", "?")
_FOLDERS = {
    "": WORKING_DIRECTORY,
    "/mnt/": "/mnt",
    "/tmp/": "/tmp",
}  # by what names in it begin with


class TooManyFiles(Exception):
    """More is to come back than the limits allow. The message says so."""


class Store(Protocol):
    """Where a program has its files. What stands for a file or a directory is its own affair."""

    def place(self, given: Mapping[str, Any]) -> None:
        """Put the files of a job there, before the program runs: names are checked."""

    def expect_fetching(self) -> None:
        """Note, before the program's objects go, that files will be taken out."""

    def settle(self) -> None:
        """Have it as the program has left it: what open files hold back is in it."""

    def file(self, path: str) -> Any:
        """Return the regular file at an absolute path; None for all else."""

    def directory(self, path: str) -> Any:
        """Return the directory at an absolute path; None if there is none."""

    def below(self, directory: Any) -> Iterator[tuple[str, Any, bool]]:
        """Yield names of files and directories in it, what stands for each, and if it is one."""

    def size(self, file: Any) -> int:
        """Return the bytes of a file."""

    def content(self, file: Any) -> bytes | None:
        """Return them; None if they cannot be read, or are no regular file's any more."""


def path_of(name: str) -> str:
    """Return the absolute path of the file that a job calls `name`."""
    return name if name.startswith("/") else f"{WORKING_DIRECTORY}/{name}"


def send(store: Store, fetch: Sequence[str], limits: Limits) -> None:
    """Send a frame of each file that `fetch` names, in the order of their names.

    Names that no result can have are left out, and so is what cannot be read. Raises TooManyFiles,
    before anything is sent.
    """
    store.settle()
    chosen: dict[str, Any] = {}
    for name, file in _named(store, fetch):
        chosen[name] = file
        if len(chosen) > limits.files_count:
            raise TooManyFiles(f"files limit: more than {limits.files_count:,} files to come back")
    if sum(map(store.size, chosen.values())) > limits.files_kib << 10:
        raise TooManyFiles(f"files limit: more than {limits.files_kib} KiB of files to come back")
    for name in sorted(chosen):
        content = store.content(chosen[name])
        if content is not None:
            asking.send(FILE, files.packed(name, content))


def _named(store: Store, fetch: Sequence[str]) -> Iterator[tuple[str, Any]]:
    wild = [pattern for pattern in fetch if any(char in pattern for char in _WILD)]
    for name in fetch:
        if name not in wild and (file := store.file(path_of(name))) is not None:
            yield name, file
    for prefix, folder in _FOLDERS.items():
        below = [each for each in wild if each[:1] == prefix[:1] or not (prefix or each[0] == "/")]
        top = store.directory(folder) if below else None
        if top is not None:
            yield from _matching(store, top, prefix, below)


def _matching(
    store: Store, top: Any, prefix: str, wild: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Walk without recursion, and no deeper than a name may be: a program may nest for long."""
    todo = [(top, prefix)]
    while todo:
        above, begin = todo.pop()
        for part, item, is_directory in store.below(above):
            name = begin + part
            if files.wrong_name(name):
                continue
            if is_directory:
                todo.append((item, f"{name}/"))
            elif files.is_named(name, wild):
                yield name, item


def all_files(store: Store) -> Iterator[tuple[str, Any]]:
    """Yield names of the files in the working directory and below, and what stands for each."""
    top = store.directory(WORKING_DIRECTORY)
    if top is not None:
        yield from _matching(store, top, "", ("**", "**/*"))


class Tree:
    """The tree of files in the memory of a program under the language layer."""

    def __init__(self, world: World) -> None:
        self._tree, self._modules = world.state.files.tree, world.importer.own

    def place(self, given: Mapping[str, Any]) -> None:
        """See `Store`; the program's own modules are looked for there first."""
        for name, content in given.items():
            path = path_of(name)
            parts = path.split("/")[1:-1]
            for count in range(1, len(parts) + 1):
                above = "/" + "/".join(parts[:count])
                if self._tree.get(above) is None:
                    self._tree.make_directory(above)
            node = self._tree.open_node(path, create=True, exclusive=False, truncate=False)
            node.data = content
        self._modules.prefer(given)

    def replace(self, given: Mapping[str, Any]) -> None:
        """Write files of a session's caller over what there may be."""
        self.place(given)

    def expect_fetching(self) -> None:
        """Do nothing: open files are known one by one."""

    def settle(self) -> None:
        """Do nothing: they are written as the program's objects go."""

    def file(self, path: str) -> Node | None:
        """See `Store`."""
        node = self._tree.get(path)
        return node if node is not None and node.data is not None else None

    def directory(self, path: str) -> Node | None:
        """See `Store`."""
        return self._tree.get(path)

    def below(self, directory: Node) -> Iterator[tuple[str, Node, bool]]:
        """See `Store`."""
        for part, node in (directory.children or {}).items():
            if node.children is not None or node.data is not None:
                yield part, node, node.children is not None

    def size(self, file: Node) -> int:
        """See `Store`."""
        return len(file.data or b"")

    def content(self, file: Node) -> bytes:
        """See `Store`."""
        return bytes(file.data or b"")
