"""Which addresses a host may be reached at: looked up here, checked, and used as checked."""

import socket
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from perdure.workspaces.egress.rules import IPAddress, Origin, Rule

Resolve = Callable[[str, int], Sequence[str]]

_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_NEVER = (ip_network("168.63.129.16/32"), ip_network("100.100.100.200/32"), ip_network("192.0.0.0/24"))
"""Addresses that are public by their number and lead to what clouds keep for their machines."""


def resolved(host: str, port: int) -> list[str]:
    """All addresses of a host, as this machine knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


def resolver(hosts: Mapping[str, Sequence[str]]) -> Resolve:
    """Looks up what is not among these."""
    return lambda host, port: hosts[host] if host in hosts else resolved(host, port)


def reachable(origin: Origin, rules: Sequence[Rule], resolve: Resolve = resolved) -> list[str]:
    """The addresses that may be connected to. Whoever gets them uses them, and asks no resolver again."""
    named = {rule.host.strip("[]") for rule in rules}
    networks = [ip_network(network) for rule in rules for network in rule.networks]

    def fine(text: str) -> bool:
        address = ip_address(text)
        return text in named or public(address) or any(_inside(address, network) for network in networks)

    return [address for address in resolve(origin.host, origin.port) if fine(address)]


def public(address: IPAddress) -> bool:
    """Whether an address is the open internet's, also where it carries another one inside."""
    if isinstance(address, IPv6Address):
        carried = _carried(address)
        if carried is not None:
            return public(carried)
    return address.is_global and not address.is_multicast and not any(_inside(address, network) for network in _NEVER)


def _carried(address: IPv6Address) -> IPv4Address | None:
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if int(address) >> 32 == 0 and int(address) > 1:
        return IPv4Address(int(address))
    return address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1]) or None


def _inside(address: IPAddress, network: object) -> bool:
    carried = _carried(address) if isinstance(address, IPv6Address) else None
    return address in network or (carried is not None and carried in network)  # type: ignore[operator]
