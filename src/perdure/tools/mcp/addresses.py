"""Which addresses a server may have us fetch: none of our own machine, and none that tell a cloud's secrets."""

import asyncio
from ipaddress import ip_address
from socket import SOCK_STREAM, gaierror
from urllib.parse import urlsplit

from perdure.tools.mcp.messages import Unreachable

METADATA = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})


async def check_named(address: str, server: str) -> None:
    """Raises Unreachable where a server names an address that is not fetched for it.

    The host at which an admin set the server up is allowed: they know what is there.
    """
    url = urlsplit(address)
    host = (url.hostname or "").lower().rstrip(".")
    if url.scheme not in ("http", "https") or not host:
        raise Unreachable("it names a sign-in address that is none")
    if host == (urlsplit(server).hostname or "").lower():
        return
    found = await _resolved(host)
    if host in METADATA or any(map(_inward, found)):
        raise Unreachable("it names a sign-in address on this machine or of the cloud around it, which is not fetched")


def _inward(address: str) -> bool:
    found = ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    found = mapped or found
    # The metadata services of the clouds: link-local ones, and Amazon's and Alibaba's own.
    known = str(found) in ("fd00:ec2::254", "100.100.100.200")
    return found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast or known


async def _resolved(host: str) -> list[str]:
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, None, type=SOCK_STREAM)
    except (gaierror, UnicodeError):
        # Through a proxy it may be known all the same, and without one nothing is fetched.
        return []
    return [str(answer[4][0]) for answer in answers]
