"""Tables of names, written as text."""


def words(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())
