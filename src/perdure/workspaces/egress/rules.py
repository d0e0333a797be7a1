"""Which requests may leave a workspace: rules by host, method and path, and what they decide. No I/O."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

from msgspec import Struct

from perdure.core.errors import Validation

Scheme = Literal["https", "http"]
IPAddress = IPv4Address | IPv6Address

PORTS: dict[str, int] = {"https": 443, "http": 80}
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_PATH = re.compile(r"/[!-)+-~]{0,2000}\*?")
_UNSURE = re.compile(r"%2f|%5c|%00|%2e|\\|//|/\.\.?(/|$)|;", re.IGNORECASE)
"""What servers read in different ways, so that the path that is checked may not be the path that is served."""

MOST_NAMED = 100
"""How many methods, paths or networks one rule names."""
LONGEST_NAME = 200
"""A method, the name of a header or of a user."""
TOO_WIDE = 'allows every host: name hosts, or give the template network = "host" if that is what is meant'


class NetworkAudit(StrEnum):
    """Which requests of workspaces are written down one by one. All are counted."""

    NONE = "none"
    REFUSED = "refused"
    ALL = "all"


class Credential(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A secret that is added to the requests of a rule, by its name."""

    secret: str
    kind: Literal["bearer", "basic", "header"] = "bearer"
    user: str = ""
    """With `basic`: whose password the secret is. Git servers take any name with a token."""
    header: str = ""
    """With `header`: which one carries it."""

    def field(self, value: str) -> tuple[str, str]:
        """The header that carries the secret."""
        match self.kind:
            case "bearer":
                return "Authorization", f"Bearer {value}"
            case "basic":
                return "Authorization", "Basic " + b64encode(
                    f"{self.user or 'x-access-token'}:{value}".encode()
                ).decode()
            case "header":
                return self.header, value


class Rule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Requests that may leave: to a host, with these methods to these paths where any are named."""

    host: str
    """A name, `*.` and a name for everything below it, or an address."""
    scheme: Scheme = "https"
    port: int = 0
    """The scheme's own if 0."""
    methods: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Each begins with `/`; a `*` at the end stands for anything."""
    networks: tuple[str, ...] = ()
    """Private networks that the host may be in. Others are refused, whatever the host's name resolves to."""
    credential: Credential | None = None

    @property
    def opens(self) -> bool:
        """Whether TLS has to be opened for it: only then can a request be seen, or added to."""
        return bool(self.credential or self.methods or self.paths)

    def covers(self, origin: "Origin") -> bool:
        """Whether it is about this host at all."""
        if origin.scheme != self.scheme or origin.port != (self.port or PORTS[self.scheme]):
            return False
        return origin.host.endswith(self.host[1:]) if self.host.startswith("*.") else origin.host == self.host

    def allows(self, method: str, path: str) -> bool:
        if self.methods and method not in self.methods:
            return False
        bare = path.partition("?")[0]
        return not self.paths or (not _UNSURE.search(bare) and any(_fits(pattern, bare) for pattern in self.paths))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request wants to go."""

    scheme: Scheme
    host: str
    port: int

    def __str__(self) -> str:
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ArmedRule:
    """A rule as the proxy holds it: with the header that carries its secret."""

    rule: Rule
    id: str = ""
    once: bool = False
    field: tuple[str, str] | None = None
    missing: str = ""
    """The name of a secret that is not stored."""


def armed(rule: Rule, secrets: Mapping[str, str] | None = None, *, id: str = "", once: bool = False) -> ArmedRule:  # noqa: A002
    """A rule with the header for its secret, or the name of the one that is not stored."""
    needed = rule.credential
    if needed is None:
        return ArmedRule(rule, id, once)
    value = (secrets or {}).get(needed.secret)
    return ArmedRule(rule, id, once, needed.field(value)) if value else ArmedRule(rule, id, once, missing=needed.secret)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about a request."""

    rule: ArmedRule | None
    reason: str = ""
    lifted_by: Rule | None = None
    """The narrowest rule that would have let it leave, where a rule is all that it lacks."""

    @property
    def allowed(self) -> bool:
        return self.rule is not None


def opens(rules: Sequence[ArmedRule], origin: Origin) -> bool:
    """Whether TLS to this host is opened. One rule that has to see requests is enough: no other may lead around it."""
    return any(armed.rule.opens for armed in rules if armed.rule.covers(origin))


def decide(rules: Sequence[ArmedRule], origin: Origin, request: tuple[str, str] | None = None) -> Verdict:
    """Whether a connection, or a request with its method and path, may leave; by the rule that adds most."""
    about = [armed for armed in rules if armed.rule.covers(origin)]
    if not about:
        return Verdict(None, f"no rule allows {origin.scheme}://{origin}", _lifting(origin))
    fitting = about if request is None else [armed for armed in about if armed.rule.allows(*request)]
    if request is not None and not fitting:
        bare = request[1].partition("?")[0]
        lifting = _lifting(origin, (request[0],), (bare,))
        return Verdict(None, f"the rules for {origin} do not allow {request[0]} {bare}", lifting)
    chosen = max(fitting, key=lambda armed: (armed.rule.credential is not None, not armed.once))
    if request is not None and chosen.missing:
        return Verdict(None, f"the secret {chosen.missing!r} of the rule for {origin} is not stored")
    return Verdict(chosen)


def _lifting(origin: Origin, methods: tuple[str, ...] = (), paths: tuple[str, ...] = ()) -> Rule | None:
    port = 0 if origin.port == PORTS[origin.scheme] else origin.port
    rule = Rule(origin.host, origin.scheme, port, methods, paths)
    # What has no pattern of its own, such as a path with an encoded slash, is for whoever writes rules.
    return None if faults(rule) or not all(rule.allows(method, path) for method in methods for path in paths) else rule


def host_of(text: str) -> str | None:
    """A host as it is compared: lower case, no final dot, an address in its one spelling; None where it is no host."""
    if text.startswith("[") and text.endswith("]"):
        return _address(text[1:-1])
    lower = text.lower().removesuffix(".")
    if not lower.isascii() or len(lower) > 253 or not all(_LABEL.fullmatch(label) for label in lower.split(".")):
        return None
    # What ends in a number is an address to many resolvers, in more spellings than one.
    if lower.rpartition(".")[2].isdigit() or re.fullmatch(r"0x[0-9a-f]*", lower.rpartition(".")[2]):
        return _address(lower)
    return lower


def origin_of(scheme: Scheme, text: str, *, port_needed: bool = False) -> Origin | None:
    """A host with its port, as a CONNECT, a Host header or an address has them."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]@/]+)(?::([1-9][0-9]{0,4}))?", text)
    if match is None or (port_needed and match[2] is None):
        return None
    host, port = host_of(match[1]), int(match[2] or PORTS[scheme])
    return None if host is None or port > 65_535 else Origin(scheme, host, port)


def faults(rule: Rule, place: str = "rule") -> list[Validation]:
    """Everything about a rule that makes no sense."""
    checks = {
        "host": _host_fault(rule.host),
        "port": "" if 0 <= rule.port <= 65_535 else "must be between 1 and 65535",
        "methods": "" if all(_is_name(m) and m == m.upper() for m in rule.methods) else "must be names as GET",
        "paths": ""
        if all(_PATH.fullmatch(path) for path in rule.paths)
        else "must begin with /, have * only at the end, and be short",
        "networks": "" if all(map(_is_network, rule.networks)) else "must be networks such as 10.0.0.0/8",
        "credential": "" if rule.credential is None else _credential_fault(rule.credential),
    }
    lists = {"methods": rule.methods, "paths": rule.paths, "networks": rule.networks}
    checks |= {name: f"must be at most {MOST_NAMED}" for name, named in lists.items() if len(named) > MOST_NAMED}
    return [Validation(f"{place}.{name}", detail) for name, detail in checks.items() if detail]


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST_NAME and TOKEN.fullmatch(text) is not None


def _credential_fault(credential: Credential) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", credential.secret):
        return "names a secret in lower-case letters, digits, hyphens and underscores"
    if credential.kind == "header" and not _is_name(credential.header):
        return "needs the name of a header"
    if ":" in credential.user or not credential.user.isprintable() or len(credential.user) > LONGEST_NAME:
        return f"has a user of at most {LONGEST_NAME} characters without a colon"
    return ""


def _host_fault(host: str) -> str:
    if host.strip("*.") == "":
        return TOO_WIDE
    bare = host.removeprefix("*.")
    if host_of(bare) != bare.strip("[]") or host_of(bare) is None:
        return "must be a name such as example.com, *.example.com, or an address"
    if host.startswith("*.") and ("." not in bare or ":" in bare or bare.replace(".", "").isdigit()):
        return "must name two parts after *. at least"
    return ""


def _is_network(text: str) -> bool:
    try:
        return ip_network(text).prefixlen > 0
    except ValueError:
        return False


def _address(text: str) -> str | None:
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _fits(pattern: str, path: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern
