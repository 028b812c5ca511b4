"""`register` of the host's abstract classes: only classes of the program's are registered there.

What host code asks of its own objects with `isinstance` stays as it was.
"""

from abc import ABCMeta
from typing import Any

from sandbox.language.guards.kinship import Identities, all_classes
from sandbox.language.guest.denied import denied_class
from sandbox.language.guest.session import on_behalf_of_guest
from sandbox.language.natives.patching import Method, replace

_hosts = Identities()


def harden() -> None:
    """Replace it."""
    global _hosts
    _hosts = Identities(all_classes())
    replace(ABCMeta, _register, "register")


def _register(own: Method) -> Method:
    def register(cls: Any, subclass: Any) -> Any:
        if cls in _hosts and subclass in _hosts and on_behalf_of_guest():
            raise denied_class(f"registering {subclass.__name__!r} with {cls.__name__!r}")
        return own(cls, subclass)

    return register
