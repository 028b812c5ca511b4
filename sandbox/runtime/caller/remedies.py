"""What a person can do about a layer that is missing."""

_REMEDIES = {
    "namespaces": "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1,"
    " kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 1), run the"
    " container with a seccomp profile that permits unshare, or make the layer optional in the"
    " policy.",
    "landlock": "Run on Linux 5.13 or later with landlock in the lsm= list, or make the layer"
    " optional in the policy.",
    "seccomp": "Run on Linux 4.14 or later, on x86_64 or aarch64, with CONFIG_SECCOMP_FILTER.",
    "privileges": "Start as an ordinary user, or as root with CAP_SETUID and CAP_SETGID.",
    "rlimits": "Raise the hard limits of the calling process (ulimit -H).",
    "cgroup": "Delegate a cgroup v2 directory with the memory, pids and cpu controllers to the"
    " caller, and start it in a group below that one: docs/cgroups.md says how.",
    "interpreter": "Report what was found: a module that this Python has was not looked at.",
    "language": "Use a policy whose language is 'restricted'.",
}

NO_DESCRIPTOR = (
    "this process has no file descriptor left (EMFILE): raise its limit (`ulimit -n`; a job in"
    " flight takes three), or use fewer workers"
)
NO_PROCESS = (
    "this process may start no other (EAGAIN): raise the limit of its user's processes"
    " (`ulimit -u`), or that of its container (pids.max)"
)
A_HOLE = "Report this with the output of `sandbox doctor --json`."
UNCOUNTED = (
    "The kernel does not count the processes of real root: start as an ordinary user, or as root"
    " with the layer 'privileges' and more than one uid mapped."
)


def remedy_for(layer: str) -> str:
    """The remedy for one layer, or for a group named as "this or that"."""
    found = [_REMEDIES[name] for name in layer.split(" or ") if name in _REMEDIES]
    return " Or: ".join(found) or "Run `sandbox doctor` and report what it says."
