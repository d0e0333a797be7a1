"""Where a database is: one host, or several of which one at a time takes writes."""

from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from perdure.core.errors import Misconfigured

_PORT = "5432"
_LOOKS_FOR = "target_session_attrs"
# What people write to get the server that takes writes; we look for it anyway.
_UNDERSTOOD = ("any", "read-write", "primary")


def hosts(url: str) -> tuple[str, ...]:
    """A URL for each host that this one names, in its order."""
    parts = _parts(url)
    options = dict(parse_qsl(parts.query))
    _refuse_standbys(options.pop(_LOOKS_FOR, "any"))
    login, _, listed = parts.netloc.rpartition("@")
    login = f"{_encoded(login)}@" if login else ""
    places = _listed(listed, options)
    _require_ports(places)
    query = f"?{urlencode(options)}" if options else ""
    return tuple(f"{parts.scheme}://{login}{host}{parts.path}{_with(query, more)}" for host, more in places)


def place(url: str) -> str:
    """Where a database is, without its password."""
    parts = _parts(url)
    options = dict(parse_qsl(parts.query))
    named = (_named(host, more) for host, more in _listed(parts.netloc.rpartition("@")[2], options))
    return ", ".join(named) + parts.path


def renamed(url: str, database: str) -> str:
    """The same server, another database."""
    return urlsplit(url)._replace(path=f"/{quote(database)}").geturl()


_ENCODE = "If the password has one of / ? # @ in it, write that percent-encoded."


def _parts(url: str) -> SplitResult:
    """The pieces of a URL, where it is one. What is said of any other shows nothing of it: that may be the password."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise Misconfigured(f"PERDURE_DATABASE_URL is no URL. {_ENCODE}") from error
    if parts.scheme not in ("postgresql", "postgres"):
        raise Misconfigured(
            "PERDURE_DATABASE_URL does not begin with postgresql://. Say it like postgresql://user@host:5432/database."
        )
    if parts.fragment or ("@" in parts.path and "@" not in parts.netloc):
        raise Misconfigured(f"PERDURE_DATABASE_URL ends in the middle of its login. {_ENCODE}")
    return parts


def _encoded(login: str) -> str:
    """User and password as the driver takes them, also where somebody wrote one with an @."""
    return ":".join(quote(unquote(each), safe="") for each in login.split(":", 1))


def _require_ports(places: list[tuple[str, dict[str, str]]]) -> None:
    ports = [more.get("port") or host.rpartition(":")[2] for host, more in places]
    if not all(port.isascii() and port.isdigit() and 0 < int(port) < 65_536 for port in ports):
        raise Misconfigured(f"A port in PERDURE_DATABASE_URL is not a number from 1 to 65535. {_ENCODE}")


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
