"""The system calls that a child may make, each with the reason that it is there."""

import errno

from sandbox.kernel.seccomp import Check, Rule

COMMAND_FD = 0
JOB_FD = 3
RESULT_FD = 4

_PROT_EXEC = 0x4
_INT = 0xFFFFFFFF  # the kernel reads an int: the upper half of the register is not looked at
_MAP_KIND = 0x0F | 0x20 | 0x100 | 0x40000  # type, anonymous, MAP_GROWSDOWN, huge pages
_MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20
# The command with its private flag (0x80), without which processes meet at a shared library's page.
_FUTEX_COMMAND = 0xFF
_OWN_CLOCKS = 0xFFFFFFF0  # what must be zero: larger ids are the CPU clocks of other processes
_SIGABRT = 6

# A finished interpreter: it computes, allocates, reads its job, writes frames and ends.
INTERPRETER = (
    Rule(
        "write",
        "frames leave through the result pipe and nowhere else",
        (Check(0, RESULT_FD, _INT),),
    ),
    Rule(
        "write",
        "nothing is open there: CPython writes there why it aborts, for instance when no memory is"
        " left for an exception, and killing on it would call that a violation",
        (Check(0, 2, _INT),),
        errno.EBADF,
    ),
    Rule(
        "read",
        "the job arrives here once; closed before guest code runs",
        (Check(0, JOB_FD, _INT),),
    ),
    Rule("close", "the job pipe is closed; there is nothing else to close"),
    Rule("brk", "malloc's heap, within the address-space limit"),
    Rule(
        "mmap",
        "private anonymous memory, never executable, never a file, never shared, never growing"
        " downward, which RLIMIT_DATA would not count",
        (Check(2, 0, _PROT_EXEC), Check(3, _MAP_PRIVATE_ANONYMOUS, _MAP_KIND)),
    ),
    Rule("munmap", "giving memory back"),
    Rule("mremap", "realloc of large blocks moves pages; it cannot change their protection"),
    Rule("mprotect", "malloc grows arenas; nothing becomes executable", (Check(2, 0, _PROT_EXEC),)),
    Rule("madvise", "malloc returns pages (MADV_DONTNEED)", (Check(2, 4, _INT),)),
    Rule("madvise", "malloc returns pages (MADV_FREE)", (Check(2, 8, _INT),)),
    Rule("madvise", "malloc asks for huge pages (MADV_HUGEPAGE)", (Check(2, 14, _INT),)),
    Rule("futex", "FUTEX_WAIT: interpreter locks", (Check(1, 0x80, _FUTEX_COMMAND),)),
    Rule("futex", "FUTEX_WAKE: interpreter locks", (Check(1, 0x81, _FUTEX_COMMAND),)),
    Rule("futex", "FUTEX_WAIT_BITSET: timed waits", (Check(1, 0x89, _FUTEX_COMMAND),)),
    Rule("futex", "FUTEX_WAKE_BITSET: timed waits", (Check(1, 0x8A, _FUTEX_COMMAND),)),
    Rule("rt_sigaction", "signal dispositions of this process alone"),
    Rule("rt_sigprocmask", "signal mask of this process alone; no limit relies on a signal"),
    Rule("rt_sigreturn", "returning from the stack-overflow and flush handlers"),
    Rule("sigaltstack", "the stack of those handlers"),
    Rule("restart_syscall", "the kernel itself resumes an interrupted call through it"),
    Rule(
        "clock_gettime",
        "the vDSO falls back to it on clocks it cannot read",
        (Check(0, 0, _OWN_CLOCKS),),
    ),
    Rule("clock_getres", "time.get_clock_info", (Check(0, 0, _OWN_CLOCKS),)),
    Rule("gettimeofday", "vDSO fallback"),
    Rule("time", "vDSO fallback"),
    Rule("getrandom", "seeding; cannot be used to affect anything"),
    Rule("getrusage", "the child's own figures for the final frame", (Check(0, 0, _INT),)),
    Rule("getpid", "abort() and the C library ask for it"),
    Rule("gettid", "abort() asks for it"),
    Rule(
        "tgkill",
        "abort() signals the calling process: killing on it would call an abort a violation",
        (Check(0, "pid", _INT), Check(2, _SIGABRT, _INT)),
    ),
    Rule("sched_yield", "lock back-off"),
    Rule("exit", "the end of a thread: there is one"),
    Rule("exit_group", "the end"),
)

# Unrestricted CPython asks for its own identity in ordinary programs; no answer leads anywhere.
# Beside these a policy with `as_restricted` has no other, for tests: `native_calls` has the rest.
NATIVE = (
    Rule("clock_nanosleep", "time.sleep, bounded by the wall limit", (Check(0, 0, _OWN_CLOCKS),)),
    Rule("nanosleep", "time.sleep, bounded by the wall limit"),
    Rule("getppid", "os.getppid: 0 in a namespace of its own"),
    Rule("getuid", "os.getuid"),
    Rule("geteuid", "os.geteuid"),
    Rule("getgid", "os.getgid"),
    Rule("getegid", "os.getegid"),
    Rule("uname", "os.uname, platform: the namespace's own name where there is one"),
    Rule("times", "os.times"),
    Rule("sched_getaffinity", "os.cpu_count and multiprocessing, itself", (Check(0, 0, _INT),)),
)
