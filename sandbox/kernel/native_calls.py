"""The system calls of CPython without the language layer: which work, which are refused by errno.

What an honest library only asks for is refused by an error number that CPython makes an exception
of: `PermissionError`, `FileNotFoundError`, `ImportError`. What is in no table kills the process, as
no honest library calls it: ptrace, process_vm_*, bpf, mount, keyctl, io_uring and their like.
"""

import errno

from sandbox.kernel.numbers import MACHINE
from sandbox.kernel.seccomp import Check, Rule
from sandbox.kernel.syscall_sets import INTERPRETER

STDIN_FD = 0

_INT = 0xFFFFFFFF
_OWN_CLOCKS = 0xFFFFFFF0  # larger ids are the CPU clocks of other processes
_PROT_EXEC, _MAP_ANONYMOUS = 0x4, 0x20
_X86 = MACHINE == "x86_64"
# O_CLOEXEC, O_NONBLOCK, O_NOCTTY, and by machine O_DIRECTORY, O_NOFOLLOW and O_LARGEFILE. Without
# any of O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE, O_PATH, O_DIRECT, O_NOATIME.
_READING = 0x80000 | 0x800 | 0x100 | (0x38000 if _X86 else 0x2C000)
_NOT_READING = _INT & ~_READING
_STATUS_FLAGS = 0x3 | 0x400 | 0x800 | 0x8000 | 0x20000  # what F_SETFL may say: no O_ASYNC, O_DIRECT
# CLONE_NEW*, CLONE_PTRACE, CLONE_PARENT, CLONE_UNTRACED: of these nobody honest has use.
_POWERS = 0x7E020000 | 0x80 | 0x2000 | 0x8000 | 0x800000
# What pthread_create(3) of glibc and of musl says: one address space, one thread group.
_THREAD_FLAGS = (0x3D0F00, 0x7D0F00)
_AF_UNIX, _SOCK_STREAM = 1, 1
_SOCK_FLAGS = 0x80800  # SOCK_CLOEXEC, SOCK_NONBLOCK
_SOL_SOCKET = 1
_NO_PIPE = _INT & ~0x80800  # O_CLOEXEC, O_NONBLOCK
# MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL, MSG_NOSIGNAL. Data out of band has a history of bugs.
_NO_MESSAGE = _INT & ~(0x2 | 0x40 | 0x100 | 0x4000)


def rules(*, files: bool, threads: bool, own: tuple[Rule, ...] = ()) -> tuple[Rule, ...]:
    """Return the rules of a child without the language layer.

    `files`: the root has nothing but what is shown for reading, so that paths may be looked up.
    `threads`: threads may be made; RLIMIT_NPROC bounds them. `own`: the rules of a file
    system of its own, which come first (`scratch.calls`); only with `files`.
    """
    looking = _LOOKING if files else _NOT_LOOKING
    return (
        _OF_INTERPRETER + own + _OWN + looking + (_THREADS if threads else _NO_THREADS) + _REFUSED
    )


# A pipe of the guest's own may have the number 2.
_OF_INTERPRETER = tuple(r for r in INTERPRETER if r.name != "write" or not r.error)


def _each(names: str, reason: str, error: int = 0) -> tuple[Rule, ...]:
    return tuple(Rule(name, reason, error=error) for name in names.split())


def _where(name: str, argument: int, values: tuple[int, ...], reason: str) -> tuple[Rule, ...]:
    return tuple(Rule(name, reason, (Check(argument, value, _INT),)) for value in values)


# What a process does with itself and with descriptors that it made. RLIMIT_NOFILE bounds how many
# there are. None is of the host's: the result pipe, the input, pipes, socket pairs, files for
# reading. Nothing passes descriptors on (no sendmsg, no exec, no fork).
_OWN = (
    *_each("read write readv writev lseek pread64 preadv fstat", "descriptors of its own"),
    *_each("dup dup2 dup3 pipe", "descriptors of its own, bounded by RLIMIT_NOFILE"),
    Rule(
        "pipe2", "O_CLOEXEC, O_NONBLOCK: no pipe of packets or of notes", (Check(1, 0, _NO_PIPE),)
    ),
    Rule("pipe2", "another kind of pipe", error=errno.EINVAL),
    *_each("poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait", "waiting"),
    *_each("epoll_pwait eventfd eventfd2", "waiting, on descriptors of its own"),
    Rule(
        "socketpair",
        "asyncio wakes itself through one; a stream, so that it is connected to nothing else",
        (
            Check(0, _AF_UNIX, _INT),
            Check(1, _SOCK_STREAM, _INT & ~_SOCK_FLAGS),
            Check(2, 0, _INT),
        ),
    ),
    Rule("socketpair", "datagrams could be sent to other sockets", error=errno.EACCES),
    Rule(
        "sendto",
        "send(2) on a socket pair of its own: no address, nothing out of band",
        (Check(4, 0), Check(3, 0, _NO_MESSAGE)),
    ),
    Rule("sendto", "to an address", error=errno.EACCES),
    Rule("recvfrom", "a socket pair of its own", (Check(3, 0, _NO_MESSAGE),)),
    Rule("recvfrom", "nothing out of band", error=errno.EINVAL),
    *_each("getsockname getpeername shutdown", "a socket pair of its own"),
    *(
        Rule("getsockopt", "what a socket is", (Check(1, _SOL_SOCKET, _INT), Check(2, o, _INT)))
        for o in (3, 4, 38, 39)  # SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN
    ),
    *_each("getsockopt setsockopt", "options reach far into the kernel", errno.EACCES),
    *_where("fcntl", 1, (0, 1, 2, 3, 1030), "F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC"),
    *_where("fcntl", 1, (1033, 1034), "F_ADD_SEALS, F_GET_SEALS: the input is sealed"),
    Rule(
        "fcntl",
        "F_SETFL of O_NONBLOCK; O_ASYNC would signal, O_DIRECT change how a pipe is read",
        (Check(1, 4, _INT), Check(2, 0, _INT & ~_STATUS_FLAGS)),
    ),
    Rule("fcntl", "F_SETOWN, F_SETSIG, F_SETPIPE_SZ, leases, locks", error=errno.EPERM),
    *_where("ioctl", 1, (0x5421, 0x5450, 0x5451), "FIONBIO, FIONCLEX, FIOCLEX"),
    *(
        Rule("ioctl", "nothing is a terminal", (Check(1, request, _INT),), errno.ENOTTY)
        # TCGETS, and TCGETS2 by which glibc asks from 2.42 on; TIOCGWINSZ, TIOCGPGRP, FIONREAD
        for request in (0x5401, 0x802C542A, 0x5413, 0x540F, 0x541B)
    ),
    *_each("nanosleep pause", "sleeping, bounded by the wall limit"),
    Rule("clock_nanosleep", "sleeping, bounded by the wall limit", (Check(0, 0, _OWN_CLOCKS),)),
    *_each("alarm setitimer getitimer", "signals to itself; no limit relies on a signal"),
    *_each("rt_sigtimedwait rt_sigpending rt_sigsuspend", "signals of this process alone"),
    *_each("getppid getuid geteuid getgid getegid getresuid getresgid getgroups", "its own ids"),
    *_each("getpgrp umask times getcpu", "its own group, mask, figures and processor"),
    *_each("uname", "os.uname, platform: the namespace's own name where there is one"),
    *_each("sched_get_priority_max sched_get_priority_min", "constants of the kernel"),
    Rule("sched_getaffinity", "os.cpu_count and OpenBLAS, itself", (Check(0, 0, _INT),)),
    Rule("sched_getaffinity", "another process, or itself by its number", error=errno.ESRCH),
    *_where("getrusage", 0, (_INT, 1), "RUSAGE_CHILDREN, of which there are none, RUSAGE_THREAD"),
    Rule("close_range", "os.closerange has a slower way", error=errno.ENOSYS),
    Rule("prlimit64", "its own limits, read only", (Check(0, 0, _INT), Check(2, 0))),
    Rule(
        "prlimit64",
        "RLIMIT_FSIZE of its own, which it can only lower: done when the input is written",
        (Check(0, 0, _INT), Check(1, 1, _INT)),
    ),
    Rule("prlimit64", "limits stand", (Check(0, 0, _INT),), errno.EPERM),
    *_where("prctl", 0, (15, 16), "PR_SET_NAME, PR_GET_NAME: threads name themselves"),
    Rule("prctl", "glibc names memory", (Check(0, 0x53564D41, _INT),), errno.EINVAL),
    Rule(
        "mmap",
        "of a file, executable: a shared object that is loaded late is an ImportError",
        (Check(2, _PROT_EXEC, _PROT_EXEC), Check(3, 0, _MAP_ANONYMOUS)),
        errno.EPERM,
    ),
    Rule("mmap", "of a file, or shared", (Check(2, 0, _PROT_EXEC),), errno.EACCES),
    *(
        Rule("madvise", "advice that changes nothing but speed", (Check(2, a, _INT),), errno.EINVAL)
        # NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTFORK, DOFORK, NOHUGEPAGE, DONTDUMP, DODUMP
        for a in (0, 1, 2, 3, 10, 11, 15, 16, 17)
    ),
)

# The root of the mount namespace is empty but for what is shown, so a path leads nowhere else.
_LOOKING = (
    Rule("openat", "reading what is shown", (Check(2, 0, _NOT_READING),)),
    Rule("open", "reading what is shown", (Check(1, 0, _NOT_READING),)),
    *_each("openat open", "nothing can be written", errno.EACCES),
    *_each("newfstatat stat lstat access faccessat faccessat2", "looking at what is shown"),
    *_each("readlink readlinkat getdents64 getcwd chdir fchdir", "looking at what is shown"),
)

# Without a mount namespace a path would be one of the host's: Landlock does not hide what is there.
_NOT_LOOKING = (
    Rule("openat", "no file can be read", (Check(2, 0, _NOT_READING),), errno.ENOENT),
    Rule("open", "no file can be read", (Check(1, 0, _NOT_READING),), errno.ENOENT),
    *_each("openat open", "nothing can be written", errno.EACCES),
    *_each("newfstatat stat lstat access faccessat faccessat2", "no file is seen", errno.ENOENT),
    *_each("readlink readlinkat getcwd chdir", "no file is seen", errno.ENOENT),
    *_each("getdents64 fchdir", "no directory is open", errno.EBADF),
)

_THREADS = (
    *_where("clone", 0, _THREAD_FLAGS, "a thread of this process, bounded by RLIMIT_NPROC"),
    Rule("set_robust_list", "glibc has no need of it", error=errno.ENOSYS),
    Rule("rseq", "glibc registers each thread's own memory, and ends without it"),
    Rule(
        "futex",
        "a thread that is joined has ended but for a moment: glibc asks again; a lock that is no"
        " process's own would be one with other guests",
        (Check(1, 0x09, 0x7F | 0x80),),  # FUTEX_WAIT_BITSET without its private flag
        errno.EAGAIN,
    ),
)
_NO_THREADS = tuple(
    Rule("clone", "no thread", (Check(0, flags, _INT),), errno.EAGAIN) for flags in _THREAD_FLAGS
)

_EACCES, _EPERM, _ENOSYS = errno.EACCES, errno.EPERM, errno.ENOSYS
_REFUSED = (
    *_each("mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2", "no change", _EACCES),
    *_each("link linkat symlink symlinkat mknod mknodat creat truncate", "no change", _EACCES),
    *_each("chmod fchmod fchmodat chown fchown lchown fchownat", "no change", _EACCES),
    *_each("utime utimes utimensat ftruncate fallocate", "no change", _EACCES),
    *_each("flock fsync fdatasync sync", "no file is written to", _EACCES),
    *_each("getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", "none", _ENOSYS),
    *_each("statfs fstatfs statx", "the C library does without, or tells of the host", _ENOSYS),
    *_each("socket connect bind listen accept accept4 sendmsg recvmsg", "no network", _EACCES),
    *_each("execve fork vfork", "no other program and no process", _EPERM),
    Rule("clone", "no process", (Check(0, 0, _POWERS),), _EPERM),
    Rule("clone3", "flags are in memory, where no filter looks: glibc takes clone", error=_ENOSYS),
    *_each("wait4 waitid", "there is no child", errno.ECHILD),
    *_each("pidfd_open", "no process", _EPERM),
    *_each("memfd_create inotify_init1 timerfd_create signalfd4", "no such descriptor", _EPERM),
    *_each("sendfile copy_file_range fadvise64", "callers have a slower way", _ENOSYS),
    *_each("mlock munlock mlock2 setrlimit setpgid setpriority", "not for a guest", _EPERM),
    *_each("getpgid getsid getpriority", "not for a guest", _EPERM),
    *_each("sched_setaffinity sched_setparam sched_setscheduler", "not for a guest", _EPERM),
    *_each("sched_getparam sched_getscheduler", "not for a guest", _EPERM),
    *_each("mbind set_mempolicy get_mempolicy membarrier", "OpenBLAS and OpenMP ask", _ENOSYS),
    *_each("sysinfo mincore msync", "would tell of the host", _ENOSYS),
    *_each("getrlimit", "the C library asks prlimit64", _ENOSYS),
)
