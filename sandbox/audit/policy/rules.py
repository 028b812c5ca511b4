"""The rules of the policy audit: what each looks for and why it matters."""

from sandbox.audit.findings import Rule, Severity


def _rule(id: str, title: str, help: str) -> Rule:
    return Rule(id=id, title=title, help=help)


# What the walk can come to. Each is the end of the language layer, whatever else holds.
ESCAPES = (
    _rule(
        "escape-module",
        "A guest reaches a real module",
        "A real module's names are its imports: from any of them it is a few steps to os, sys and "
        "every other module. Guests get facades with exactly the granted names instead.",
    ),
    _rule(
        "escape-globals",
        "A guest reaches the globals of host code",
        "They hold the guards and the modules that the host code imports; a write to them changes "
        "what the guards do.",
    ),
    _rule(
        "escape-frame",
        "A guest reaches a frame or a code object",
        "A frame leads to the globals and locals of the host code that called (CVE-2023-37271); "
        "bytecode of one's own runs without any check.",
    ),
    _rule(
        "escape-code",
        "A guest runs text without the guards",
        "Text that is evaluated as plain Python has none of the checks that the program has.",
    ),
    _rule(
        "escape-file",
        "A guest opens a file",
        "A file is read and written with the rights of the process; only the kernel's layers are "
        "left to refuse it.",
    ),
    _rule(
        "escape-system",
        "A guest reaches a function that acts on the system or the interpreter",
        "Processes, sockets, memory maps, tracing: what such a function does, no guard can see.",
    ),
    _rule(
        "escape-classes",
        "A guest reaches every class there is",
        "Among the subclasses of object, or through a real metaclass, are the classes of all "
        "loaded modules, with their methods, and their methods' globals.",
    ),
    _rule(
        "escape-attributes",
        "A guest reads attributes past the guards",
        "With any attribute of any object, __globals__, __code__ and frames are a step away "
        "(CVE-2023-41039, CVE-2024-47532).",
    ),
    _rule(
        "escape-internals",
        "A guest reaches an object of the sandbox itself",
        "The guards' own state decides what is refused.",
    ),
    _rule(
        "native-left",
        "A child has a native function or type that nobody has looked at",
        "Behind the guards there should be nothing worth reaching; what is on no list may be.",
    ),
    _rule(
        "host-write",
        "A guest changes an object of the host",
        "Host code, guards included, then acts on what the guest put there.",
    ),
    _rule(
        "host-container",
        "A guest can write into a list or dict that library code shares",
        "It changes what the library does for the same program. A child runs one program, so no "
        "other program sees it.",
    ),
)
# What is wrong with the text of a policy.
FAULTS = (
    _rule(
        "policy-invalid",
        "The policy does not load",
        "A sandbox does not open under it. Nothing is guessed: a key that was misspelled would "
        "leave a limit or a layer at a value that nobody chose.",
    ),
    _rule(
        "deprecated-key",
        "A key has a new name",
        "The old name is taken for one release; then a policy with it does not load.",
    ),
    _rule(
        "grant-unsupported",
        "A grant that the language layer does not support",
        "Nobody has looked at what it lets out, or somebody has and it cannot be made safe. The "
        "policy does not load; the audit puts the raw object in and shows what it would have let "
        "out.",
    ),
    _rule(
        "grant-without-reason",
        "A grant without a reason",
        "A grant that nobody can explain is a grant that nobody can review.",
    ),
    _rule(
        "grant-thin-reason",
        "A reason that says nothing",
        "A reason tells the next reader why the grant is safe, or which limit or layer holds it.",
    ),
)
JUDGEMENTS = (
    _rule(
        "language-off",
        "The language layer is off",
        "The guest has all of Python, so there is nothing to search: whatever the process could do "
        "it can do, and only the kernel's layers hold it.",
    ),
    _rule(
        "layer-off",
        "A layer is switched off",
        "Layers are independent so that one may fail. One that is off holds nothing.",
    ),
    _rule(
        "layer-optional",
        "A layer is used only where the host has it",
        "On a host without it the sandbox opens all the same; `Result.layers` says what was "
        "active, and `sandbox doctor` what this host has.",
    ),
    _rule(
        "no-file-barrier",
        "Nothing but seccomp may stand before the file system",
        "Namespaces and Landlock each close the file system; with both optional and none demanded "
        "by require_any, a host can lack both.",
    ),
    _rule(
        "limit-order",
        "The clock decides before CPU time does",
        "wall_seconds counts the load of the machine. If it can end a run before cpu_seconds does, "
        "the same program passes on a quiet machine and fails on a busy one.",
    ),
    _rule(
        "limit-absurd",
        "A limit that holds nothing on this host",
        "A limit beyond what the machine has is no limit: the machine gives way first, and with it "
        "what else runs there.",
    ),
    _rule(
        "unbounded-call",
        "One call can take all the time or memory there is",
        "Such a call runs in C and cannot be interrupted from inside; only the limits hold it.",
    ),
    _rule(
        "nondeterminism",
        "The same program can give different output",
        "A reward that changes from run to run is noise to a trainer; a program can even wait for "
        "a lucky run.",
    ),
    _rule(
        "star-grant",
        'Names granted by "*" differ between Python versions',
        "The same policy grants more on a newer Python, so the same program passes on one and "
        "fails on another.",
    ),
    _rule(
        "services-open",
        "A call can serve the guest while it runs",
        "With services the guest's job pipe stays open, and what it sends reaches functions of the "
        "caller.",
    ),
    _rule(
        "testing-policy",
        "A policy for tests",
        "testing lets a policy with language = off go without kernel layers.",
    ),
    _rule(
        "walk-incomplete",
        "The search did not come to its end",
        "What was not searched was not shown to be closed.",
    ),
)
DIFFERENCES = (
    _rule(
        "diff-reach",
        "The second policy reaches what the first does not",
        "Objects that no program could hold under the first policy.",
    ),
    _rule(
        "diff-lost",
        "The first policy reaches what the second does not",
        "Programs that used it end as DENIED.",
    ),
    _rule(
        "diff-layer",
        "A layer is weaker in the second policy",
        "What stood behind the language layer stands no more, or not everywhere.",
    ),
    _rule(
        "diff-limit",
        "A limit is wider in the second policy",
        "A program can use more of the machine.",
    ),
)
POLICY_RULES = (*ESCAPES, *FAULTS, *JUDGEMENTS)
DIFF_RULES = (*ESCAPES, *DIFFERENCES)

# How bad it is that a walk came to a sink of the rule; one that was proven counts as critical.
SEVERITIES = {
    **{rule.id: Severity.HIGH for rule in ESCAPES},
    "host-container": Severity.INFO,
}
