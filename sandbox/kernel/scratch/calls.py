"""The system calls of a child that has a file system of its own, beside those of `native_calls`.

No filter sees which file a path or a descriptor leads to. That nothing outside is written is for
the mount namespace, where all else is read-only, and for Landlock, each by itself; a filter with
these rules is only installed where the child has a mount namespace of its own. What would act on
a file that is only read, and that other processes may have open, does not reach the kernel: it
`pretends`. As nobody else can open a file of the child's, what it asks for is so already.
"""

import errno

from sandbox.kernel.numbers import MACHINE
from sandbox.kernel.seccomp import Check, Rule

_INT = 0xFFFFFFFF
_X86 = MACHINE == "x86_64"
# O_CLOEXEC, O_NONBLOCK, O_NOCTTY, by machine O_DIRECTORY, O_NOFOLLOW and O_LARGEFILE, and O_WRONLY,
# O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND. No O_PATH, O_TMPFILE, O_DIRECT, O_ASYNC, O_NOATIME.
_WRITING = 0x80000 | 0x800 | 0x100 | (0x38000 if _X86 else 0x2C000) | 0x3 | 0xC0 | 0x200 | 0x400
_NOT_WRITING = _INT & ~_WRITING
_F_GETLK, _F_SETLK, _F_SETLKW = 5, 6, 7
_PROT_EXEC, _SHARED, _PRIVATE = 4, 1, 2
_NOREPLACE = 1
_SYMLINK_FOLLOW = 0x400


def _each(names: str, reason: str, error: int = 0) -> tuple[Rule, ...]:
    return tuple(Rule(name, reason, error=error) for name in names.split())


def _pretended(names: str, reason: str) -> tuple[Rule, ...]:
    return tuple(Rule(name, reason, pretends=True) for name in names.split())


RULES = (
    *(
        Rule(name, "opens nothing", (Check(at, 3, 3),), errno.EACCES)
        for name, at in (("openat", 2), ("open", 1))
    ),
    Rule("openat", "files of its own, to read and to write", (Check(2, 0, _NOT_WRITING),)),
    Rule("open", "files of its own, to read and to write", (Check(1, 0, _NOT_WRITING),)),
    *_each("creat", "open(2) by its oldest name"),
    *_each("pwrite64 pwritev", "to descriptors of its own, at a place: sqlite3, os.pwrite"),
    *_each("preadv2 pwritev2", "the C library has a way without", errno.ENOSYS),
    *_each("mkdir mkdirat rmdir unlink unlinkat", "directories and files of its own"),
    *_each("rename renameat", "within one mount, which is its own or read-only"),
    Rule(
        "renameat2",
        "the same; no exchange, and no whiteout, which is a device",
        (Check(4, 0, _INT & ~_NOREPLACE),),
    ),
    Rule("renameat2", "another way to rename", error=errno.EINVAL),
    *_each("link", "within one mount: none leads out of its own, or in from what is shown"),
    Rule("linkat", "the same; never of a descriptor", (Check(4, 0, _INT & ~_SYMLINK_FOLLOW),)),
    Rule("linkat", "of a descriptor", error=errno.ENOENT),
    *_each("symlink symlinkat", "followed by the child alone, which reaches no more by it"),
    *_each("truncate ftruncate", "files of its own; the input is sealed"),
    Rule("fallocate", "posix_fallocate, within the size of the file system", (Check(1, 0, _INT),)),
    Rule("fallocate", "holes: slower ways do", error=errno.EOPNOTSUPP),
    *_each("chmod fchmod fchmodat", "modes of its own files; the mount forbids set-user-id"),
    *_each("utime utimes utimensat", "times of its own files"),
    *_pretended(
        "fsync fdatasync msync", "there is no disk; of a shown file, the host's would be busy"
    ),
    *_pretended("flock", "nobody else has its files; on a shown file, guests could meet"),
    Rule("fcntl", "whether a file is locked: sqlite3 asks", (Check(1, _F_GETLK, _INT),)),
    *(
        Rule("fcntl", "a lock, as flock", (Check(1, command, _INT),), pretends=True)
        for command in (_F_SETLK, _F_SETLKW)
    ),
    *(
        Rule(
            "mmap",
            "a file of its own in memory, as far as its descriptor allows; never code",
            (Check(2, 0, _PROT_EXEC), Check(3, kind, _INT)),
        )
        for kind in (_SHARED, _PRIVATE)
    ),
    *_each(
        "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", "none", errno.EOPNOTSUPP
    ),
)
