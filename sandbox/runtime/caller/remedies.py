"""Remedies for a person to apply to a layer that is missing."""

from sandbox.policy.layers import BY_NAME
from sandbox.policy.plan import PACKAGES

NO_DESCRIPTOR = (
    "this process has no file descriptor left (EMFILE): raise its limit (`ulimit -n`; a job in"
    " flight takes three), or use fewer workers"
)
NO_PROCESS = (
    "this process may start no other (EAGAIN): raise the limit of its user's processes"
    " (`ulimit -u`), or that of its container (pids.max)"
)
_OF_PACKAGES = (
    "Install the package anew, or take the module or the warm-up that is named out of the policy:"
    " children would inherit what an import leaves behind."
)
A_HOLE = "Report this with the output of `sandbox doctor --json`."
UNCOUNTED = (
    "The kernel does not count the processes of real root: start as an ordinary user, or as root"
    " with the layer 'privileges' and more than one uid mapped."
)


def remedy_for(layer: str) -> str:
    """Return the remedy for one layer, or for a group named as "this or that"."""
    if layer == PACKAGES:
        return _OF_PACKAGES
    rows = [BY_NAME[name] for name in layer.split(" or ") if name in BY_NAME]
    return (
        " Or: ".join(row.remedy for row in rows if row.remedy)
        or "Run `sandbox doctor` and report what it says."
    )
