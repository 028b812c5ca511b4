"""The client of the request that is being served, for all that is done for it."""

from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from sandbox.integrations.server.admission.memory_budget import Share

_NETWORK_BITS = 64  # of an IPv6 address: the rest is the client's to choose


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: whose it is, and what it holds.

    `client` is whose share that is of; `owner` is whose sessions it finds: those of its token.
    """

    client: str
    share: Share
    owner: str = ""


current: ContextVar[Visit] = ContextVar("visit")


def by_address(host: str) -> str:
    """Return what tells clients apart where all have the same token, or none."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(IPv6Address(int(address) >> _NETWORK_BITS << _NETWORK_BITS))
    return str(address)
