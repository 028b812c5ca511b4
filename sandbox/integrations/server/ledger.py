"""How much memory clients take: one sum for all of them."""

from collections.abc import Iterator
from contextlib import contextmanager


class Ledger:
    """How many bytes all requests and unsent answers hold."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    @contextmanager
    def account(self) -> "Iterator[Account]":
        """One request's share, given back at the end of the block."""
        account = Account(self)
        try:
            yield account
        finally:
            self.held -= account.held

    @property
    def is_full(self) -> bool:
        """True if nothing more should be taken in."""
        return self.held >= self._most


class Account:
    """One request's share of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.held = 0

    def add(self, count: int) -> None:
        """`count` more bytes are held."""
        self.held += count
        self._ledger.held += count
