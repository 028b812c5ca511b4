"""Programs by name, from a text in which each begins with a line `=== its name`."""

from pathlib import Path


def listed(file: str) -> dict[str, str]:
    """The programs in `file`, which stands next to this one."""
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.split("=== ")[1:]]
    return {name: source for name, _, source in parts}
