"""The content of a file in the tree, and what stat(2) says of it."""

import errno
import os
import stat
from typing import Any

from sandbox.language.guest.files.paths import fail
from sandbox.language.guest.files.tree import Node, Tree

_MOST_BYTES = (1 << 44) - 4096  # of a file on ext4; the memory limit is far below
BLOCK_BYTES = 4096  # of a file system, and so of a buffer


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


def status_of(node: Node) -> os.stat_result:
    """Return what stat(2) says of `node`."""
    size, when = size_of(node), node.changed_ns
    seconds, exact = when // 1_000_000_000, when / 1e9
    inside = (node.children or {}).values()
    links = (
        2 + sum(child.children is not None for child in inside) if node.children is not None else 1
    )
    first = (mode_of(node), node.number, 1, links, 1000, 1000, size)
    blocks = (BLOCK_BYTES, -(-size // BLOCK_BYTES) * 8, 0)
    return os.stat_result((*first, *[seconds] * 3, *[exact] * 3, *[when] * 3, *blocks))
