"""Where a database is: one host, or several of which one at a time takes writes."""

from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from perdure.core.errors import Misconfigured

_PORT = "5432"
_LOOKS_FOR = "target_session_attrs"
# What people write to get the server that takes writes; we look for it anyway.
_UNDERSTOOD = ("any", "read-write", "primary")


def hosts(url: str) -> tuple[str, ...]:
    """A URL for each host that this one names, in its order."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    _refuse_standbys(options.pop(_LOOKS_FOR, "any"))
    login, _, listed = parts.netloc.rpartition("@")
    login = f"{login}@" if login else ""
    places = _listed(listed, options)
    query = f"?{urlencode(options)}" if options else ""
    return tuple(f"{parts.scheme}://{login}{host}{parts.path}{_with(query, more)}" for host, more in places)


def place(url: str) -> str:
    """Where a database is, without its password."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    named = (_named(host, more) for host, more in _listed(parts.netloc.rpartition("@")[2], options))
    return ", ".join(named) + parts.path


def renamed(url: str, database: str) -> str:
    """The same server, another database."""
    return urlsplit(url)._replace(path=f"/{quote(database)}").geturl()


def _listed(listed: str, options: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
    """Each host as it stands in a URL, and the options that go with it alone. Takes both out of the options."""
    ports = options.pop("port", "").split(",")
    named = options.pop("host", "")
    found = [host for host in listed.split(",") if host]
    if found:
        return [(host if _has_port(host) else _ported(host, _at(ports, i)), {}) for i, host in enumerate(found)]
    return [("", {"host": host, "port": _at(ports, i)}) for i, host in enumerate((named or "localhost").split(","))]


def _at(ports: list[str], index: int) -> str:
    return (ports[index] if len(ports) > 1 and index < len(ports) else ports[0]) or _PORT


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]


def _ported(host: str, port: str) -> str:
    return f"{host}:{port}"


def _with(query: str, more: dict[str, str]) -> str:
    if not more:
        return query
    return f"{query}{'&' if query else '?'}{urlencode(more, safe='/')}"


def _named(host: str, more: dict[str, str]) -> str:
    if not more:
        return host
    return more["host"] if more["host"].startswith("/") else f"{more['host']}:{more['port']}"


def _refuse_standbys(looks_for: str) -> None:
    if looks_for not in _UNDERSTOOD:
        raise Misconfigured(
            f"PERDURE_DATABASE_URL says {_LOOKS_FOR}={looks_for}, but Perdure writes. Say read-write, or leave it out."
        )
