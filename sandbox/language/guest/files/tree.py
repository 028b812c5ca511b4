"""A tree of directories and files in the memory of one child: no system call, no file of the host.

All that it holds is bytes and dicts of ours, within the memory limit. Nothing of it is handed to a
program: it gets names, numbers and copies of content. There are no links, so that a path is either
one file or none, and `..` is the directory above.
"""

import errno
from typing import Any

from sandbox.language.guest.files.paths import LONGEST_PART, fail

WORKING_DIRECTORY = "/box"
TEMPORARY_DIRECTORY = "/tmp"
NULL_DEVICE = "/dev/null"
STARTING_NS = 1_735_689_600_000_000_000  # 2025-01-01 00:00:00 UTC: no clock of the machine's
_STEP_NS = 1_000_000


class Node:
    """A directory, which has `children`, or a file, which has `data`; the null device has none."""

    __slots__ = ("changed_ns", "children", "data", "name", "number", "parent", "permissions")

    def __init__(self, number: int, changed_ns: int) -> None:
        self.children: dict[str, Node] | None = None
        self.data: bytes | bytearray | None = None
        self.parent: Node | None = None  # None: removed, or not there yet
        self.name = ""
        self.number, self.changed_ns = number, changed_ns
        self.permissions = 0o644


class Tree:
    """The file system of one program. Paths are exact str or bytes (`paths.checked`)."""

    __slots__ = ("_numbers", "_ticks", "current", "root")

    def __init__(self) -> None:
        """Make what a program finds: its working directory, and one for temporary files."""
        self._numbers, self._ticks = 1, 0
        self.root = self._new(directory=True)
        self.root.parent = self.root
        for path in (WORKING_DIRECTORY, TEMPORARY_DIRECTORY, "/mnt", "/dev"):
            self.make_directory(path)
        null = self._new(directory=False)
        null.data, null.permissions = None, 0o666
        self._put(self.find("/dev"), "null", null)
        self.current = self.find(WORKING_DIRECTORY)

    def _new(self, *, directory: bool) -> Node:
        self._numbers += 1
        node = Node(self._numbers, self.tick())
        if directory:
            node.children, node.permissions = {}, 0o755
        else:
            node.data = b""
        return node

    def tick(self) -> int:
        """Return the time of a change, in nanoseconds since the epoch: each is later."""
        self._ticks += 1
        return STARTING_NS + self._ticks * _STEP_NS

    # -- from paths to nodes

    def find(self, path: Any) -> Node:
        """Return what `path` names. Raises OSError if there is nothing."""
        found = self._walk(_text(path), path)
        return found if found is not None else fail(errno.ENOENT, path)

    def get(self, path: Any) -> Node | None:
        """Return what `path` names, or None."""
        try:
            return self.find(path)
        except (OSError, ValueError):
            return None

    def _walk(self, text: str, path: Any) -> Node | None:
        if not text:
            fail(errno.ENOENT, path)
        node: Node | None = self.root if text.startswith("/") else self.current
        for part in text.split("/"):
            if node is None:
                return None
            children = node.children
            if children is None:
                fail(errno.ENOTDIR, path)
            if part == "..":
                node = node.parent
            elif part not in ("", "."):
                if len(part.encode("utf-8", "surrogateescape")) > LONGEST_PART:
                    fail(errno.ENAMETOOLONG, path)
                node = children.get(part)
        return node

    def place(self, path: Any) -> tuple[Node, str]:
        """Return the directory that `path` names something in, and the name: "" if it has none.

        Raises OSError if there is no such directory.
        """
        text = _text(path)
        if not text:
            fail(errno.ENOENT, path)
        head, _, name = text.rstrip("/").rpartition("/")
        if name in ("", ".", ".."):
            return self.find(path), ""
        start = f"{head}/" if head or text.startswith("/") else "."
        above = self._walk(start, path)
        if above is None:
            fail(errno.ENOENT, path)
        if len(name.encode("utf-8", "surrogateescape")) > LONGEST_PART:
            fail(errno.ENAMETOOLONG, path)
        return above, name

    def path_of(self, node: Node) -> str:
        """Return the absolute path of a directory. Raises OSError for one that is removed."""
        parts: list[str] = []
        while node is not self.root:
            if node.parent is None:
                fail(errno.ENOENT)
            parts.append(node.name)
            node = node.parent
        return "/" + "/".join(reversed(parts))

    # -- changes

    def _put(self, above: Node, name: str, node: Node) -> None:
        assert above.children is not None
        above.children[name] = node
        node.parent, node.name = above, name
        above.changed_ns = self.tick()

    def _take(self, node: Node) -> None:
        above = node.parent
        if above is not None and above.children is not None:
            del above.children[node.name]
            above.changed_ns = self.tick()
        node.parent = None

    def make_directory(self, path: Any) -> Node:
        """Make a directory, as mkdir(2)."""
        above, name = self.place(path)
        if not name or (above.children or {}).get(name):
            fail(errno.EEXIST, path)
        if above.parent is None:
            fail(errno.ENOENT, path)
        made = self._new(directory=True)
        self._put(above, name, made)
        return made

    def open_node(self, path: Any, *, create: bool, exclusive: bool, truncate: bool) -> Node:
        """Return a file, as open(2) with O_CREAT, O_EXCL and O_TRUNC."""
        above, name = self.place(path)
        node = (above.children or {}).get(name) if name else above
        slash = _text(path).endswith("/")
        if node is None:
            if slash and create:
                fail(errno.EISDIR, path)
            if not create or above.parent is None:
                fail(errno.ENOENT, path)
            node = self._new(directory=False)
            self._put(above, name, node)
            return node
        if exclusive:
            fail(errno.EEXIST, path)
        if node.children is not None or (slash and create):
            fail(errno.EISDIR, path)
        if slash:
            fail(errno.ENOTDIR, path)
        if truncate and node.data is not None:
            node.data, node.changed_ns = b"", self.tick()
        return node

    def remove_file(self, path: Any) -> None:
        """Remove a file, as unlink(2)."""
        above, name = self.place(path)
        node = (above.children or {}).get(name) if name else above
        if node is None:
            fail(errno.ENOENT, path)
        if node.children is not None:
            fail(errno.EISDIR, path)
        if _text(path).endswith("/"):
            fail(errno.ENOTDIR, path)
        self._take(node)

    def remove_directory(self, path: Any) -> None:
        """Remove an empty directory, as rmdir(2)."""
        above, name = self.place(path)
        if not name and _text(path).rstrip("/").endswith("."):
            last = _text(path).rstrip("/").rpartition("/")[2]
            fail(errno.EINVAL if last == "." else errno.ENOTEMPTY, path)
        node = (above.children or {}).get(name) if name else above
        if node is None:
            fail(errno.ENOENT, path)
        if node.children is None:
            fail(errno.ENOTDIR, path)
        if node is self.root:
            fail(errno.EBUSY, path)
        if node.children:
            fail(errno.ENOTEMPTY, path)
        self._take(node)

    def remove_tree(self, path: Any) -> None:
        """Remove a directory with all that is below it."""
        node = self.find(path)
        if node.children is None:
            fail(errno.ENOTDIR, path)
        if node is self.root:
            fail(errno.EBUSY, path)
        self._take(node)
        todo = [node]
        while todo:
            for child in (todo.pop().children or {}).values():
                child.parent = None
                if child.children is not None:
                    todo.append(child)

    def rename(self, old: Any, new: Any) -> None:
        """Rename, as rename(2): what `new` names before is replaced."""
        try:
            above, name = self.place(old)
            below, called = self.place(new)
        except OSError as error:
            number = error.errno or errno.ENOENT
        else:
            number = self._rename(above, name, below, called, _text(old), _text(new))
        if number:
            fail(number, old, new)

    def _rename(self, above: Node, name: str, below: Node, called: str, old: str, new: str) -> int:
        if not name or not called:
            return errno.EBUSY
        node = (above.children or {}).get(name)
        if node is None or below.parent is None:
            return errno.ENOENT
        if below.children is None:
            return errno.ENOTDIR
        there = below.children.get(called)
        if there is node:
            return 0
        if node.children is None:
            if old.endswith("/") or new.endswith("/"):
                return errno.ENOTDIR
            if there is not None and there.children is not None:
                return errno.EISDIR
        else:
            step: Node | None = below
            while step is not None and step is not self.root:
                if step is node:
                    return errno.EINVAL
                step = step.parent
            if there is not None and there.children is None:
                return errno.ENOTDIR
            if there is not None and there.children:
                return errno.ENOTEMPTY
        if there is not None:
            self._take(there)
        self._take(node)
        self._put(below, called, node)
        return 0


def _text(path: Any) -> str:
    if isinstance(path, bytes):
        return path.decode("utf-8", "surrogateescape")
    text: str = path
    return text
