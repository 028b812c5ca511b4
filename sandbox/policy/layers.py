"""The layers, in one table. Plain data: the supervisor imports it, and it imports nothing heavy.

Policies, their JSON schema, `sandbox doctor`, the audit and the tables of README.md and SECURITY.md
are made of these rows or held against them.
"""

from dataclasses import dataclass
from typing import Final

REQUIRED: Final = "required"
OPTIONAL: Final = "optional"
OFF: Final = "off"
STRENGTHS: Final = (REQUIRED, OPTIONAL, OFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One barrier between a guest and the machine.

    `default` is its strength where a policy says none. `does` is the mechanism and `holds` what
    that leaves a guest, both in a few words; `promise` is what holds by it alone, in full.
    `without` is what is left to fear where it is off or missing, `remedy` what a person can do
    then. `probed`: a `Sandbox` tries what it forbids before it opens; `sandbox doctor` shows it.
    """

    name: str
    default: str
    does: str
    holds: str
    promise: str
    without: str = ""
    remedy: str = ""
    probed: bool = False


TABLE: Final = (
    Layer(
        name="language",
        default=REQUIRED,
        does="RestrictedPython with our dialect; only granted builtins and module names exist",
        holds="the guest cannot name a dangerous object",
        promise="no name, attribute or object outside the policy can be reached, no attribute chain"
        " leads to a host object that was not granted; no class, module or instance of the host"
        " that host code relies on can be written",
        remedy="Use a policy whose language is 'restricted'.",
    ),
    Layer(
        name="interpreter",
        default=REQUIRED,
        does="native powers are taken out of the process; whatever event uses one ends it"
        " (PEP 578)",
        holds="who stands outside of every guard finds no native function to use, and no way to say"
        " that all went well",
        promise="from any Python object that there is, guards or not: no native function or type is"
        " reached but those on a reviewed list; an event (PEP 578) that no program needs ends the"
        " process; no final frame without the job's key, and no success while a frame of the"
        " program's is on the stack",
        without="a guest that breaks the language layer has all of CPython, and its verdict",
        remedy="Report what was found: a module that this Python has was not looked at.",
        probed=True,
    ),
    Layer(
        name="process",
        default=REQUIRED,
        does="a fresh interpreter, an address space without secrets, used once",
        holds="nothing survives or crosses executions; the caller's memory is not there to read",
        promise="each job has a new process and nothing that another did to its interpreter;"
        " neither the caller's memory nor its environment, arguments and files are in the child; no"
        " other job's source, input or output is",
    ),
    Layer(
        name="rlimits",
        default=REQUIRED,
        does="CPU, address space, stack; no process, core or descriptor, no byte into a file",
        holds="exhaustion ends the guest, not the host",
        promise="CPU time, address space and stack end the guest; it opens no descriptor, makes no"
        " process"
        " or thread, writes into no file, leaves no core; without `language` it opens at most 64"
        " descriptors, makes no more threads than the policy says, and no file larger than its"
        " scratch directory",
        without="a guest can use all memory of the host, and CPU time is bounded by the clock only",
        remedy="Raise the hard limits of the calling process (ulimit -H).",
        probed=True,
    ),
    Layer(
        name="descriptors",
        default=REQUIRED,
        does="everything is closed but the result pipe",
        holds="nothing to read, to write or to pass on",
        promise="one write-only pipe to the caller is all that is open; without `language` its"
        " sealed input, too, and where files are granted /dev/null as 1 and 2",
        without="a guest that breaks the language layer can use what the supervisor had open",
        probed=True,
    ),
    Layer(
        name="privileges",
        default=REQUIRED,
        does="no new privileges, not dumpable, no capability, an unprivileged uid when started as"
        " root",
        holds="no setuid program, no tracing of a peer",
        promise="no new privilege by any exec, no tracing from outside by an equal, no capability"
        " over anything that it did not make, never uid 0 of the host; no key of the caller's"
        " session keyring and, with `namespaces`, no key of the caller's user or, where the caller"
        " is root, of another guest",
        without="a guest that breaks the language layer has the supervisor's rights",
        remedy="Start as an ordinary user, or as root with CAP_SETUID and CAP_SETGID.",
        probed=True,
    ),
    Layer(
        name="namespaces",
        default=OPTIONAL,
        does="user, pid, mount, net, ipc, uts and cgroup namespaces; a read-only root, empty but"
        " for"
        " what the policy shows",
        holds="no file, no network, no name of the host and no other process to see",
        promise="no file of the host but, without `language`, the standard library and the"
        " packages that"
        " the policy grants, for reading alone, and, to write to, a directory in memory of its own"
        " where the policy grants files, bounded and gone with it, and /dev/null; no process"
        " outside of its own namespace, no"
        " network of IP, no Unix socket of the host's, no host name; no shared memory, semaphore"
        " or message queue, of System V or POSIX, in common with the host or another guest",
        without="a guest that gets past seccomp sees the host's files, network and processes",
        remedy="Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1,"
        " kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 1), run"
        " the container with a seccomp profile that permits unshare, or make the layer optional in"
        " the policy.",
        probed=True,
    ),
    Layer(
        name="landlock",
        default=OPTIONAL,
        does="every right that the kernel knows is denied, TCP and signals included",
        holds="no file opened or changed, no TCP by `bind` and `connect`, no signal out",
        promise="no file is opened for reading, writing or execution, made, cut short, renamed or"
        " removed,"
        " no directory listed, but to read, without `language`, the standard library and granted"
        " packages, and, where files are granted, in a scratch directory of its own; from"
        " version 4 no TCP port bound and no TCP connection by `connect`, from 6 no"
        " abstract socket and no signal out",
        without="a guest that gets past seccomp has no second barrier before files and TCP",
        remedy="Run on Linux 5.13 or later with landlock in the lsm= list, or make the layer"
        " optional in the policy.",
        probed=True,
    ),
    Layer(
        name="seccomp",
        default=REQUIRED,
        does="a list of the system calls that a running interpreter needs, arguments checked",
        holds="no system call worth having",
        promise="only listed system calls with checked arguments; any other kills the process, but"
        " a write"
        " to descriptor 2, where nothing is open, which fails; without `language` what an honest"
        " library only asks for fails, too",
        without="a guest that breaks the language layer can make any system call",
        remedy="Run on Linux 4.14 or later, on x86_64 or aarch64, with CONFIG_SECCOMP_FILTER.",
        probed=True,
    ),
    Layer(
        name="cgroup",
        default=OPTIONAL,
        does="memory, processes and CPU of the whole sandbox, where the host delegates a group",
        holds="the host is not put under pressure",
        promise="the whole sandbox together stays within the memory of its workers at their worst,"
        " a number of processes and as many processors as workers and one",
        without="guests together are bounded only by the number of workers times their own limits",
        remedy="Delegate a cgroup v2 directory with the memory, pids and cpu controllers to the"
        " caller, and start it in a group below that one: docs/cgroups.md says how.",
    ),
)
LAYERS: Final = tuple(layer.name for layer in TABLE)
BY_NAME: Final = {layer.name: layer for layer in TABLE}
