"""Which addresses a server may have us fetch: none of our own machine, and none that tell a cloud's secrets."""

import asyncio
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from socket import SOCK_STREAM, gaierror
from urllib.parse import urlsplit

from perdure.core.addresses import reachable
from perdure.tools.mcp.messages import Unreachable

METADATA = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
TRANSLATED = IPv6Network("64:ff9b::/96")
COMPATIBLE = IPv6Network("::/96")


async def check_named(address: str, server: str) -> None:
    """Raises Unreachable where a server names an address that is not fetched for it.

    The host at which an admin set the server up is allowed: they know what is there.
    """
    url = reachable(address)
    host = (url.hostname or "").lower().rstrip(".") if url else ""
    if not host:
        raise Unreachable("it names a sign-in address that is none")
    if host == (urlsplit(server).hostname or "").lower():
        return
    found = await _resolved(host)
    if host in METADATA or any(map(_inward, found)):
        raise Unreachable("it names a sign-in address on this machine or of the cloud around it, which is not fetched")


def _inward(address: str) -> bool:
    found = _meant(ip_address(address.partition("%")[0]))
    # The metadata services of the clouds: link-local ones, and Amazon's and Alibaba's own.
    known = str(found) in ("fd00:ec2::254", "100.100.100.200")
    return found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast or known


def _meant(found: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The older address that a newer one stands for: mapped, compatible, by 6to4 or by a translator."""
    if isinstance(found, IPv4Address):
        return found
    if found in TRANSLATED or (found in COMPATIBLE and found not in (IPv6Address("::"), IPv6Address("::1"))):
        return IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or found


async def _resolved(host: str) -> list[str]:
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, None, type=SOCK_STREAM)
    except (gaierror, UnicodeError):
        # Through a proxy it may be known all the same, and without one nothing is fetched.
        return []
    return [str(answer[4][0]) for answer in answers]
