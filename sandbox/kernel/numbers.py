"""System call numbers of the machines we know. An unknown machine has none: nothing is guessed.

Sources: Linux `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

import platform

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
}  # fmt: skip

# Machine: (AUDIT_ARCH constant of linux/audit.h, numbers).
_MACHINES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _AARCH64),
}

MACHINE = platform.machine()
AUDIT_ARCH, NUMBERS = _MACHINES.get(MACHINE, (0, {}))
