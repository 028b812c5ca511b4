"""System call numbers of the machines we know. An unknown machine has none: nothing is guessed.

Sources: Linux `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

import os

_X86_64 = {
    "read": 0, "write": 1, "close": 3, "setsid": 112, "setgroups": 116, "setresuid": 117,
    "setresgid": 119, "dup3": 292, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24,
    "mremap": 25, "madvise": 28, "nanosleep": 35, "getpid": 39, "clone": 56, "exit": 60,
    "recvmsg": 47,
    "uname": 63, "kill": 62, "msgget": 68, "gettimeofday": 96, "getrusage": 98, "times": 100,
    "getuid": 102,
    "getgid": 104, "setuid": 105, "geteuid": 107, "getegid": 108, "getppid": 110,
    "capget": 125, "capset": 126, "sigaltstack": 131, "pivot_root": 155, "prctl": 157,
    "mount": 165, "umount2": 166, "sethostname": 170, "setdomainname": 171, "gettid": 186,
    "time": 201, "futex": 202,
    "sched_getaffinity": 204, "restart_syscall": 219, "timer_create": 222, "timer_settime": 223,
    "timer_delete": 226, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230,
    "exit_group": 231, "tgkill": 234, "add_key": 248, "keyctl": 250, "unshare": 272,
    "signalfd4": 289, "prlimit64": 302, "setns": 308, "seccomp": 317, "getrandom": 318,
    "pidfd_send_signal": 424, "pidfd_open": 434, "close_range": 436,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    # Only without the language layer, see `native_calls`.
    "open": 2, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8, "ioctl": 16, "pread64": 17,
    "readv": 19, "writev": 20, "access": 21, "pipe": 22, "select": 23, "msync": 26, "mincore": 27,
    "dup": 32, "dup2": 33, "pause": 34, "getitimer": 36, "alarm": 37, "setitimer": 38,
    "sendfile": 40, "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "recvfrom": 45,
    "sendmsg": 46, "shutdown": 48, "bind": 49, "listen": 50, "getsockname": 51, "getpeername": 52,
    "socketpair": 53, "setsockopt": 54, "getsockopt": 55, "fork": 57, "vfork": 58, "execve": 59,
    "wait4": 61, "fcntl": 72, "flock": 73, "fsync": 74, "fdatasync": 75, "truncate": 76,
    "ftruncate": 77, "getcwd": 79, "chdir": 80, "fchdir": 81, "rename": 82, "mkdir": 83,
    "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "readlink": 89, "chmod": 90,
    "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "umask": 95, "getrlimit": 97,
    "sysinfo": 99, "setpgid": 109, "getpgrp": 111, "getgroups": 115, "getresuid": 118,
    "getresgid": 120, "getpgid": 121, "getsid": 124, "rt_sigpending": 127, "rt_sigtimedwait": 128,
    "rt_sigsuspend": 130, "utime": 132, "mknod": 133, "statfs": 137, "fstatfs": 138,
    "getpriority": 140, "setpriority": 141, "sched_setparam": 142, "sched_getparam": 143,
    "sched_setscheduler": 144, "sched_getscheduler": 145, "sched_get_priority_max": 146,
    "sched_get_priority_min": 147, "mlock": 149, "munlock": 150, "setrlimit": 160, "sync": 162,
    "getxattr": 191, "lgetxattr": 192, "fgetxattr": 193, "listxattr": 194, "llistxattr": 195,
    "flistxattr": 196, "sched_setaffinity": 203, "epoll_create": 213, "getdents64": 217,
    "fadvise64": 221, "epoll_wait": 232, "epoll_ctl": 233, "utimes": 235, "mbind": 237,
    "set_mempolicy": 238, "get_mempolicy": 239, "waitid": 247, "openat": 257, "mkdirat": 258,
    "mknodat": 259, "fchownat": 260, "newfstatat": 262, "unlinkat": 263, "renameat": 264,
    "linkat": 265, "symlinkat": 266, "readlinkat": 267, "fchmodat": 268, "faccessat": 269,
    "pselect6": 270, "ppoll": 271, "set_robust_list": 273, "utimensat": 280, "epoll_pwait": 281,
    "timerfd_create": 283, "eventfd": 284, "fallocate": 285, "accept4": 288, "eventfd2": 290,
    "epoll_create1": 291, "pipe2": 293, "inotify_init1": 294, "preadv": 295, "getcpu": 309,
    "renameat2": 316, "memfd_create": 319, "membarrier": 324, "mlock2": 325, "copy_file_range": 326,
    "statx": 332, "rseq": 334, "clone3": 435, "faccessat2": 439,
    # Only where files are granted, see `scratch`.
    "pwrite64": 18, "setfsuid": 122, "setfsgid": 123, "pwritev": 296, "preadv2": 327,
    "pwritev2": 328,
}  # fmt: skip

_AARCH64 = {
    "dup3": 24, "setresuid": 147, "setresgid": 149, "setsid": 157, "setgroups": 159,
    "umount2": 39, "mount": 40, "pivot_root": 41, "close": 57, "read": 63, "write": 64,
    "signalfd4": 74, "capget": 90, "capset": 91, "exit": 93, "exit_group": 94, "unshare": 97,
    "futex": 98, "nanosleep": 101, "timer_create": 107, "timer_settime": 110,
    "timer_delete": 111, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
    "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "kill": 129,
    "tgkill": 131, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
    "rt_sigreturn": 139, "setuid": 146, "times": 153, "uname": 160, "sethostname": 161,
    "setdomainname": 162, "getrusage": 165,
    "prctl": 167, "gettimeofday": 169, "getpid": 172, "getppid": 173, "getuid": 174,
    "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178, "brk": 214, "munmap": 215,
    "msgget": 186, "mremap": 216, "add_key": 217, "keyctl": 219, "clone": 220, "mmap": 222,
    "recvmsg": 212, "mprotect": 226, "madvise": 233, "prlimit64": 261, "setns": 268, "seccomp": 277,
    "getrandom": 278, "pidfd_send_signal": 424, "pidfd_open": 434, "close_range": 436,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    # Only without the language layer, see `native_calls`.
    "getxattr": 8, "lgetxattr": 9, "fgetxattr": 10, "listxattr": 11, "llistxattr": 12,
    "flistxattr": 13, "getcwd": 17, "eventfd2": 19, "epoll_create1": 20, "epoll_ctl": 21,
    "epoll_pwait": 22, "dup": 23, "fcntl": 25, "inotify_init1": 26, "ioctl": 29, "flock": 32,
    "mknodat": 33, "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38,
    "statfs": 43, "fstatfs": 44, "truncate": 45, "ftruncate": 46, "fallocate": 47, "faccessat": 48,
    "chdir": 49, "fchdir": 50, "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55,
    "openat": 56, "pipe2": 59, "getdents64": 61, "lseek": 62, "readv": 65, "writev": 66,
    "pread64": 67, "preadv": 69, "sendfile": 71, "pselect6": 72, "ppoll": 73, "readlinkat": 78,
    "newfstatat": 79, "fstat": 80, "sync": 81, "fsync": 82, "fdatasync": 83, "timerfd_create": 85,
    "utimensat": 88, "waitid": 95, "set_robust_list": 99, "getitimer": 102, "setitimer": 103,
    "sched_setparam": 118, "sched_setscheduler": 119, "sched_getscheduler": 120,
    "sched_getparam": 121, "sched_setaffinity": 122, "sched_get_priority_max": 125,
    "sched_get_priority_min": 126, "rt_sigsuspend": 133, "rt_sigpending": 136,
    "rt_sigtimedwait": 137, "setpriority": 140, "getpriority": 141, "getresuid": 148,
    "getresgid": 150, "setpgid": 154, "getpgid": 155, "getsid": 156, "getgroups": 158,
    "getrlimit": 163, "setrlimit": 164, "umask": 166, "getcpu": 168, "sysinfo": 179, "socket": 198,
    "socketpair": 199, "bind": 200, "listen": 201, "accept": 202, "connect": 203,
    "getsockname": 204, "getpeername": 205, "sendto": 206, "recvfrom": 207, "setsockopt": 208,
    "getsockopt": 209, "shutdown": 210, "sendmsg": 211, "execve": 221, "fadvise64": 223,
    "msync": 227, "mlock": 228, "munlock": 229, "mincore": 232, "mbind": 235, "get_mempolicy": 236,
    "set_mempolicy": 237, "accept4": 242, "wait4": 260, "renameat2": 276, "memfd_create": 279,
    "membarrier": 283, "mlock2": 284, "copy_file_range": 285, "statx": 291, "rseq": 293,
    "clone3": 435, "faccessat2": 439,
    # Only where files are granted, see `scratch`.
    "pwrite64": 68, "pwritev": 70, "setfsuid": 151, "setfsgid": 152, "preadv2": 286,
    "pwritev2": 287,
}  # fmt: skip

# Machine: (AUDIT_ARCH constant of linux/audit.h, numbers).
_MACHINES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _AARCH64),
}

MACHINE = os.uname().machine if hasattr(os, "uname") else ""
AUDIT_ARCH, NUMBERS = _MACHINES.get(MACHINE, (0, {}))
