"""Guest code that tries something and prints what came of it."""

from pathlib import Path


def attempt(expression: str) -> str:
    """The code that tries `expression`."""
    return (
        f"try:\n    print('through', {expression})\n"
        "except Exception as error:\n    print(type(error).__name__)"
    )


def reading(path: Path) -> str:
    return attempt(f"os.read(os.open({str(path)!r}, os.O_RDONLY), 100)")
