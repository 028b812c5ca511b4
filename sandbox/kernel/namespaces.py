"""Namespaces and the empty root. namespaces(7), user_namespaces(7), pivot_root(2)."""

import contextlib
import ctypes
import errno
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox.kernel.libc import invoke, prctl, syscall, text
from sandbox.kernel.numbers import MACHINE
from sandbox.kernel.steps import Step, step

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_PARENT = 0x8000
_HOST_VIEW = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWNET
# The limits of an IPC namespace, all to be zero: no segment, no set of semaphores, no queue can be
# made in it. sysvipc(7), mq_overview(7), /proc/sys/kernel/sem in proc(5).
_IPC_LIMITS = {
    "/proc/sys/kernel/shmmni": "0",
    "/proc/sys/kernel/shmall": "0",
    "/proc/sys/kernel/msgmni": "0",
    "/proc/sys/kernel/sem": "0 0 0 0",
    "/proc/sys/fs/mqueue/queues_max": "0",
}

_IPC_PRIVATE = 0
_CHILD_CLEARTID, _CHILD_SETTID = 0x00200000, 0x01000000
_PR_GET_TID_ADDRESS = 40

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT = 1, 2, 4, 8, 32
_FOR_READING = _RDONLY | _NOSUID | _NODEV | _NOEXEC
_REC, _PRIVATE, _BIND = 0x4000, 1 << 18, 0x1000
_DETACH = 2

NOBODY = 65534
_NEW_ROOT = "/proc"  # a directory that there is everywhere
_HOST_NAME = b"sandbox"
FILE, DIRECTORY, DEVICE = range(3)
Shown = tuple[tuple[str, str, int], ...]  # paths, where each is in the new root, and what it is
_MAPPED_IDS = 1024  # ids of a root-started supervisor's namespace: its own and one per live child


@dataclass(frozen=True, slots=True)
class Identity:
    """A supervisor's ids inside its user namespace, and how many uids it can give to children."""

    uid: int
    gid: int
    child_uids: int  # 0: one id is mapped, children share it
    empty_ipc: bool  # no IPC object can be made; else each child needs an IPC namespace of its own


def enter(
    shown: Sequence[str] = (),
    folders: Sequence[str] = (),
    place: Callable[[str], str] = str,
    devices: Sequence[str] = (),
) -> Identity:
    """Move this process into namespaces of its own with an empty read-only root. Raises OSError.

    A started-as-root process maps a range of ids that no other user has, so that every child can
    have a uid of its own; an ordinary one can map only itself. `shown` are absolute paths of files
    and directories, none below another, that the root has for reading, each at its `place`.
    `folders` are empty directories that it has, too, and `devices` files that may be used as such.
    """
    paths = tuple((path, place(path), int(os.path.isdir(path))) for path in shown)
    paths += tuple((path, path, DEVICE) for path in devices)
    identity, bind = _enter_user_namespace(paths)
    _forbid_nested_user_namespaces()
    _forget_names()
    _empty_root(paths, bind, folders)
    return identity


def fork(*, pid_namespace: bool) -> int:
    """Fork this single-threaded process, the child in a new namespace if asked. Raises OSError."""
    return invoke("clone", _FORKING | (_NEWPID if pid_namespace else 0), 0, 0, *_TID_ARGUMENTS)


def forking_sibling(
    *, pid_namespace: bool, ipc_namespace: bool, mount_namespace: bool = False
) -> Step:
    """Prepare a fork of a single-threaded process, the child in new namespaces if asked.

    The child has the parent of this process for its own, which is told of its end as it is of this
    process's.

    The raw call, because no C library function takes the flag. What glibc's fork does beside it is
    for threads (there are none) but for the thread id it caches, whose address the kernel knows.
    """
    flags = _FORKING | (_NEWPID if pid_namespace else 0) | (_NEWIPC if ipc_namespace else 0)
    flags |= _NEWNS if mount_namespace else 0
    return step("clone", flags | _PARENT, 0, 0, *_TID_ARGUMENTS)


def mount_scratch() -> None:
    """Mount a small file system over the root, which a confined child must not be able to do."""
    _mount("none", "/", "tmpfs", 0, "size=4k")


def make_message_queue() -> None:
    """Make a System V queue, which is impossible in an IPC namespace without room for any."""
    syscall("msgget", _IPC_PRIVATE, 0)


def _tid_address() -> int:
    slot = ctypes.c_ulong(0)
    try:
        prctl(_PR_GET_TID_ADDRESS, ctypes.addressof(slot))
    except OSError:  # a kernel without checkpoint/restore: the cached id stays the parent's
        return 0
    return slot.value


def _tid_arguments(address: int) -> tuple[int, int]:
    """Order (child_tid, tls) as this machine does: x86 has the thread id first, arm64 the tls."""
    return (address, 0) if MACHINE == "x86_64" else (0, address)


def _enter_user_namespace(shown: Shown) -> tuple[Identity, Callable[[], None]]:
    """Enter one; return the new ids, and what binds `shown` with the uid that may see them."""
    uid, gid = os.getuid(), os.getgid()
    base, count = _free_ids() if uid == 0 else (uid, 1)
    if count == 1:
        # Two of them: only uid 0 of the one that owns an IPC namespace may set its limits, and no
        # guest is to see itself as uid 0.
        syscall("unshare", _NEWUSER | _NEWIPC)
        _map_own_id(0, uid, gid)
        empty_ipc = _empty_ipc()
        syscall("unshare", _NEWUSER | _HOST_VIEW)
        _map_own_id(NOBODY, 0, 0)
        return Identity(NOBODY, NOBODY, 0, empty_ipc), lambda: _bind(shown)
    _unshare_mapped_from_outside(f"0 {base} {count}")
    bind = _binding_helper(shown) if shown else lambda: None
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    return Identity(0, 0, count - 1, _empty_ipc()), bind


def _binding_helper(shown: Shown) -> Callable[[], None]:
    """Fork a process that keeps this one's uid, and with it may enter what only that uid may.

    Returns what has it bind `shown`, once there are places for them, and end.
    """
    ready_r, ready_w = os.pipe()
    helper = os.fork()
    if helper == 0:
        try:
            os.close(ready_w)
            if os.read(ready_r, 1) == b"r":
                _bind(shown)
                os._exit(0)
        finally:
            os._exit(1)
    os.close(ready_r)

    def bind() -> None:
        try:
            os.write(ready_w, b"r")
        finally:
            os.close(ready_w)
            _, status = os.waitpid(helper, 0)
        if os.WIFSIGNALED(status):
            raise ChildProcessError(errno.ECHILD, "something outside killed the process that binds")
        if status != 0:
            raise PermissionError(errno.EPERM, "mount: the kernel refused to bind what is shown")

    return bind


def _map_own_id(inside: int, uid: int, gid: int) -> None:
    """Map `uid` and `gid`, this process's own, to the id `inside` of the namespace it is in."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{inside} {uid} 1")
    _write("/proc/self/gid_map", f"{inside} {gid} 1")


def _empty_ipc() -> bool:
    """Set the limits of this process's IPC namespace to zero; say whether all are.

    They are not where /proc/sys is read-only, or before Linux 5.19.
    """
    try:
        for path, none in _IPC_LIMITS.items():
            _write(path, none)
    except OSError:
        return False
    return True


def _free_ids() -> tuple[int, int]:
    """Return first id and count, at the end of the largest mappable range: unused by custom."""
    with open("/proc/self/uid_map") as table:
        rows = [tuple(map(int, line.split())) for line in table]
    first, _, length = max(rows, key=lambda row: row[2])
    length = min(length, 2**31 - first)  # ids above this are negative to some tools
    count = min(_MAPPED_IDS, length)
    # Different supervisors take different ranges, so that they share no per-uid count.
    places = min(max(length // 2 // count, 1), 4096)
    return first + length - count * (1 + os.getpid() % places), count


def _unshare_mapped_from_outside(mapping: str) -> None:
    """Unshare; a helper that stays outside writes the maps, as only it is allowed to.

    Raises OSError, ChildProcessError if the helper was killed: that says nothing about the host.
    """
    unshared_r, unshared_w = os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        try:
            os.close(unshared_w)
            if os.read(unshared_r, 1) == b"u":
                _write(f"/proc/{me}/uid_map", mapping)
                _write(f"/proc/{me}/gid_map", mapping)
                os._exit(0)
        finally:
            os._exit(1)
    os.close(unshared_r)
    try:
        syscall("unshare", _NEWUSER | _NEWIPC | _HOST_VIEW)
        os.write(unshared_w, b"u")
    finally:
        os.close(unshared_w)
        _, status = os.waitpid(helper, 0)
    if os.WIFSIGNALED(status):
        raise ChildProcessError(errno.ECHILD, "something outside killed the process that maps ids")
    if status != 0:
        raise PermissionError("uid_map: the kernel refused to map ids for the user namespace")


def _forbid_nested_user_namespaces() -> None:
    with contextlib.suppress(OSError):  # a read-only /proc/sys: seccomp denies unshare anyway
        _write("/proc/sys/user/max_user_namespaces", "0")


def _forget_names() -> None:
    """Name the host anew: a UTS namespace begins with the names of the one before."""
    for call in ("sethostname", "setdomainname"):
        syscall(call, text(_HOST_NAME), len(_HOST_NAME))


def _empty_root(shown: Shown, bind: Callable[[], None], folders: Sequence[str]) -> None:
    """Replace the root by a read-only file system with `shown` alone, and forget the old one."""
    _mount("none", "/", "", _REC | _PRIVATE, "")
    # size=0 would mean unlimited; one page and two inodes are the least that means "empty".
    inodes = 2 + sum(place.count("/") for _, place, _ in shown) + len(folders)
    options = f"size=4k,nr_inodes={inodes},mode=0555"
    _mount("none", _NEW_ROOT, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)
    for _, place, kind in shown:
        _make_place(f"{_NEW_ROOT}{place}", is_directory=kind == DIRECTORY)
    for folder in folders:
        _make_place(f"{_NEW_ROOT}{folder}", is_directory=True)
    bind()
    os.chdir(_NEW_ROOT)
    here = text(b".")
    syscall("pivot_root", here, here)
    syscall("umount2", here, _DETACH)
    os.chdir("/")
    _mount("none", "/", "", _REMOUNT | _BIND | _FOR_READING, "")


def _bind(shown: Shown) -> None:
    """Bind `shown` below the root to be, each for reading alone: never to run or to map as code.

    A bind mount takes the options of what it is a part of, and the second call sets its own.
    """
    for path, place, kind in shown:
        flags = _FOR_READING & ~_NODEV if kind == DEVICE else _FOR_READING
        _mount(path, f"{_NEW_ROOT}{place}", "", _BIND, "")
        _mount("none", f"{_NEW_ROOT}{place}", "", _REMOUNT | _BIND | flags, "")


def _make_place(target: str, *, is_directory: bool) -> None:
    os.makedirs(target if is_directory else os.path.dirname(target), 0o755, exist_ok=True)
    if not is_directory:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o444))


def _mount(source: str, target: str, kind: str, flags: int, options: str) -> None:
    where = [text(part.encode()) for part in (source, target, kind)]
    syscall("mount", *where, flags, text(options.encode()))


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


_TID_ARGUMENTS = _tid_arguments(_tid_address())
_FORKING = int(signal.SIGCHLD) | (_CHILD_SETTID | _CHILD_CLEARTID if any(_TID_ARGUMENTS) else 0)
SIBLING_FLAGS = _FORKING | _PARENT  # of `forking_sibling` without new namespaces
