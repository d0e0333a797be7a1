"""Addresses that people type: whether a request can be sent there, and as much of one as everybody may see."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = IPv6Network("::/96")
_METADATA = frozenset({"100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"})
"""Where Alibaba, Microsoft, Oracle, Amazon and Google tell a machine's secrets, besides link-local addresses."""


def reachable(address: str) -> SplitResult | None:
    """The parts of an address that a request can be sent to; None where there is no such place."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        # What resolves names needs them in ASCII, and fails on labels that are empty or too long.
        host.encode("idna")
        usable = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and "\\" not in parts.netloc
    except ValueError:
        return None
    return parts if usable else None


def origin(address: str) -> str:
    """Where it leads, without what may be secret: a name and a password before the host, a path, a query."""
    scheme, _, rest = address.partition("://")
    host = rest.partition("/")[0].partition("?")[0].partition("#")[0].rpartition("@")[2]
    return f"{scheme}://{host}"


def inward(address: str) -> bool:
    """Whether an address is of our own machine, or of what surrounds it in a cloud. A name is not known to be."""
    try:
        found = _meant(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    known = found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast
    return known or str(found) in _METADATA


def _meant(found: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The older address that a newer one stands for, as it is mapped, compatible, tunnelled or translated."""
    if isinstance(found, IPv4Address):
        return found
    if any(found in network for network in _TRANSLATED) or (
        found in _COMPATIBLE and found not in (IPv6Address("::"), IPv6Address("::1"))
    ):
        return IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else found)
