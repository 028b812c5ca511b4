"""A file system in memory that one child has for itself. mount_namespaces(7), tmpfs(5).

The child is forked into a mount namespace of its own and mounts it there, so that no other process
has a name for it, and the kernel lets go of it when the child has ended. It has a size, counts its
inodes, and has neither programs nor devices. Three of its directories are seen: the working
directory, `/tmp` and `/mnt`; all else of the root stays read-only.
"""

from sandbox.kernel.libc import text
from sandbox.kernel.steps import AT_FDCWD, Step, step

WORKING_DIRECTORY = "/box"
FOLDERS = (WORKING_DIRECTORY, "/tmp", "/mnt")
NULL = "/dev/null"  # what is written to it is nowhere; it is shown, as programs rely on it
ASIDE = "/aside"  # where what is shown of the host below one of `FOLDERS` has its place
PROGRAM_UMASK = 0o022  # of a login by custom; the caller's may be anything

_NOSUID, _NODEV, _NOEXEC, _BIND = 2, 4, 8, 0x1000
_FOLDER_MODE = 0o755
_OWN_INODES = 1 + len(FOLDERS)  # of its root, and of each folder


def place_of(path: str) -> str:
    """Return where `path` of the host is in the root of a child that has a file system of its own.

    What a child mounts would hide it where it is, and a right to write above it would be one to it.
    """
    return ASIDE + path if _top(path) else path


def links(shown: tuple[str, ...]) -> dict[str, str]:
    """Return what leads to paths that are aside: a link at the first step below each folder."""
    tops = {top for path in shown if (top := _top(path))}
    return {top: ASIDE + top for top in sorted(tops)}


def _top(path: str) -> str:
    for folder in FOLDERS:
        if path.startswith(f"{folder}/"):
            return f"{folder}/{path[len(folder) + 1 :].split('/')[0]}"
    return ""


def mounting(*, size_kib: int, count: int, uid: int, gid: int, aside: dict[str, str]) -> list[Step]:
    """Make the steps by which a child mounts it for itself, as `uid` and `gid` inside.

    `count` is how many files, directories and links it can have, and `aside` what `links` returns.
    The steps need the capability to mount, so they come before the child takes that uid; what they
    make is owned by it all the same (setfsuid(2)).
    """
    top, *others = FOLDERS
    inodes = count + _OWN_INODES + len(aside)
    options = f"size={size_kib}k,nr_inodes={inodes},mode=0755,uid={uid},gid={gid}"
    steps = [
        step("umask", PROGRAM_UMASK),
        _mount("none", top, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options),
        step("setfsgid", gid),
        step("setfsuid", uid),
    ]
    for folder in FOLDERS:
        steps.append(_make_directory(f"{top}{folder}"))
    for at, target in aside.items():
        steps.append(
            step("symlinkat", text(target.encode()), AT_FDCWD, text(f"{top}{at}".encode()))
        )
    # A bind mount takes the options of what it is a part of. The last one hides the root of all.
    for folder in (*others, top):
        steps.append(_mount(f"{top}{folder}", folder, "", _BIND, ""))
    return [*steps, step("chdir", text(top.encode()))]


def _make_directory(path: str) -> Step:
    return step("mkdirat", AT_FDCWD, text(path.encode()), _FOLDER_MODE)


def _mount(source: str, target: str, kind: str, flags: int, options: str) -> Step:
    where = [text(part.encode()) for part in (source, target, kind)]
    return step("mount", *where, flags, text(options.encode()))
