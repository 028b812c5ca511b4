"""Tables of names, written as text."""


def words(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())
