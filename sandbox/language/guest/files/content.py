"""The content of a file in the tree, and what stat(2) says of it."""

import errno
import io
import stat
import sys
from operator import itemgetter
from typing import Any

from sandbox.language.guest.files.paths import fail
from sandbox.language.guest.files.tree import Node, Tree

_MOST_BYTES = (1 << 44) - 4096  # of a file on ext4; the memory limit is far below
BLOCK_BYTES = 4096  # of a file system
# Of a stream that is given no size: those of a block, and from 3.14 on more.
BUFFER_BYTES = io.DEFAULT_BUFFER_SIZE if sys.version_info >= (3, 14) else BLOCK_BYTES


def read_at(node: Node, position: int, size: int) -> bytes:
    """Return a copy of up to `size` bytes from `position` on."""
    data = node.data
    if data is None:
        return b""
    if isinstance(data, bytes):
        return data[position : position + size]
    with memoryview(data) as view:
        return bytes(view[position : position + size])


def write_at(tree: Tree, node: Node, position: int, data: Any) -> None:
    """Write exact bytes at `position`; what lies between is zero."""
    node.changed_ns = tree.tick()
    if node.data is None or not data:
        return
    if not isinstance(node.data, bytearray):
        node.data = bytearray(node.data)
    content = node.data
    if position + len(data) > _MOST_BYTES:
        fail(errno.EFBIG)
    if position > len(content):
        content.extend(bytes(position - len(content)))
    content[position : position + len(data)] = data


def cut(tree: Tree, node: Node, size: int) -> None:
    """Make a file `size` bytes long, as ftruncate(2)."""
    if size > _MOST_BYTES:
        fail(errno.EFBIG)
    node.changed_ns = tree.tick()
    if node.data is None:
        return
    content = bytearray(node.data) if isinstance(node.data, bytes) else node.data
    if size > len(content):
        content.extend(bytes(size - len(content)))
    else:
        del content[size:]
    node.data = content


def size_of(node: Node) -> int:
    """Return the length of a file; of a directory what ext4 says of a small one."""
    return BLOCK_BYTES if node.children is not None else len(node.data or b"")


def mode_of(node: Node) -> int:
    """Return the kind of a node and its permissions (inode(7))."""
    if node.children is not None:
        return stat.S_IFDIR | node.permissions
    return (stat.S_IFCHR if node.data is None else stat.S_IFREG) | node.permissions


class stat_result(tuple[int, ...]):
    """Ten numbers as stat(2) gives them, and more by name. CPython's own goes with all of `os`."""

    def __new__(cls, /, *_: Any, **__: Any) -> "stat_result":
        raise TypeError("cannot create 'os.stat_result' instances")

    def __repr__(self) -> str:
        told = (f"{name}={value}" for name, value in zip(_NAMES, self, strict=True))
        return f"os.stat_result({', '.join(told)})"


_NAMES = (
    *("st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size"),
    *("st_atime", "st_mtime", "st_ctime"),
)
for _place, _name in enumerate(_NAMES[:7]):
    setattr(stat_result, _name, property(itemgetter(_place)))


def status_of(node: Node) -> stat_result:
    """Return what stat(2) says of `node`."""
    inside = (node.children or {}).values()
    links = 1 if node.children is None else 2 + sum(c.children is not None for c in inside)
    return told(mode_of(node), node.number, links, size_of(node), node.changed_ns)


def told(mode: int, number: int, links: int, size: int, when: int) -> stat_result:
    """Make the status of something that was changed at `when`, in nanoseconds."""
    seconds = when // 1_000_000_000
    numbers = (mode, number, 1, links, 1000, 1000, size, seconds, seconds, seconds)
    made = tuple.__new__(stat_result, numbers)
    more = vars(made)
    for name in ("st_atime", "st_mtime", "st_ctime"):
        more[name], more[f"{name}_ns"] = when / 1e9, when
    more |= {"st_blksize": BLOCK_BYTES, "st_blocks": -(-size // BLOCK_BYTES) * 8, "st_rdev": 0}
    return made
