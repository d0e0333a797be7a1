"""Addresses that people type: whether a request can be sent there, and as much of one as everybody may see."""

from urllib.parse import SplitResult, urlsplit


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
