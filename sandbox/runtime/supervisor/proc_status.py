"""The kernel's own account of a confined child: what /proc/<pid>/status says. proc(5)."""

from pathlib import Path

_NO_CAPABILITY = "0000000000000000"
_LINES = {  # line: the layer behind it, and what it must say (None: shown, not judged)
    "NoNewPrivs": ("privileges", "1"),
    "CapPrm": ("privileges", _NO_CAPABILITY),
    "CapEff": ("privileges", _NO_CAPABILITY),
    "CapInh": ("privileges", _NO_CAPABILITY),
    "Uid": ("privileges", None),
    "Seccomp": ("seccomp", "2"),
    "NSpid": ("namespaces", None),
}


def read(pid: int, active: dict[str, str]) -> list[tuple[str, str, str, bool]]:
    """Return (layer, line, its value, whether that is as it must be) for each active layer.

    Empty where /proc does not show the child (mounted with hidepid, or not at all).
    """
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return []
    found = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return [
        (layer, f"the kernel's {line}", said, wanted in (None, said))
        for line, (layer, wanted) in _LINES.items()
        if layer in active and (said := " ".join(found.get(line, "").split()))
    ]
