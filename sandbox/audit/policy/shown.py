"""Tells the paths of the host that a policy lets a guest read, and what it lets one write to."""

from sandbox.errors import SandboxUnavailable
from sandbox.policy.model import Policy
from sandbox.policy.packages import summary, to_show


def figures(policy: Policy) -> dict[str, int | float | str]:
    """Return which paths are shown at most, by folder; nothing under the language layer.

    That is all that the granted packages depend on; a supervisor shows of it what it has imported.
    """
    if policy.language != "off":
        return {}
    try:
        show = to_show(policy.plan())
    except SandboxUnavailable as error:
        return {"files shown": f"none, as it does not open: {error.reason}"}
    paths = [path for *_, files in show["packages"] for path in files]
    found: dict[str, int | float | str] = {"files shown": summary([*show["library"], *paths])}
    if policy.files is not None:
        room = f"{policy.files.scratch_kib} KiB, {policy.files.scratch_count:,} files"
        found["scratch directory of each program"] = room
    return found
