"""What the environment decides: where the database is, what address to bind, what to log. The rest is in Postgres."""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Self, TypeVar, get_type_hints

from perdure.core.errors import Misconfigured

PREFIX = "PERDURE_"
NO_LISTENING = "off"
"""In place of an address: notices of other replicas are not listened for."""
NO_ORIGIN = "off"
"""In place of an address: previews have no origin of their own."""
NOWHERE = "off"
"""In place of an address: browsers do not reach the bucket."""
NEVER = "never"
Choice = TypeVar("Choice", bound=StrEnum)


class ReplicaRole(StrEnum):
    ALL = "all"
    API = "api"
    WORKER = "worker"


class LogFormat(StrEnum):
    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether nobody but this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @classmethod
    def parse(cls, text: str) -> Self:
        host, _, port = text.rpartition(":")
        if not host or not port.isdigit() or int(port) > 65535:
            raise ValueError("it must be host:port, such as 127.0.0.1:8080")
        return cls(host.strip("[]"), int(port))


_LOOPBACK = Address("127.0.0.1", 8080)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ValueError("it must be a number above zero")
    return int(text)


def _processes(text: str) -> int:
    return usable_cores() if text == "auto" else _count(text)


def usable_cores(limit: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """How many cores we may use: those of the machine, less where a container has fewer."""
    cores = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError):
        quota, period = limit.read_text().split()
        cores = min(cores, max(1, round(int(quota) / int(period))))
    return cores


def _postgres_url(text: str) -> str:
    if not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("it must start with postgresql://")
    return text


def _listen_url(text: str) -> str:
    return NO_LISTENING if text == NO_LISTENING else _postgres_url(text)


def _public_url(text: str) -> str:
    if not text.startswith(("http://", "https://")) or "?" in text or "#" in text:
        raise ValueError("it must start with https:// or http://, without ? and #")
    return text.rstrip("/")


def _preview_url(text: str) -> str:
    if text != NO_ORIGIN and not re.fullmatch(r"https?://\*(\.[a-zA-Z0-9-]+)+(:\d{1,5})?/?", text):
        raise ValueError("it must be https://*. and a domain, such as https://*.preview.example.net, or off")
    return text.rstrip("/").lower()


def _nats_url(text: str) -> str:
    if not text.startswith(("nats://", "tls://")):
        raise ValueError("it must start with nats:// or tls://")
    return text


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError("it must be yes or no")
    return text == "yes"


def _path(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise ValueError("it must be an absolute path")
    return path


def _http_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("it must start with http:// or https://")
    return text


def _bucket_url(text: str) -> str:
    if not text.startswith(("s3://", "http://", "https://")) or "?" in text or "#" in text or "@" in text:
        raise ValueError("it must be s3://bucket or https://host/bucket, without ?, # and @")
    return text.rstrip("/")


def _direct_url(text: str) -> str:
    return "" if text == NOWHERE else _public_url(text)


def _smallest(text: str) -> int:
    return 0 if text == NEVER else _count(text)


def _days(text: str) -> int:
    if not text.isdigit() or int(text) > 3650:
        raise ValueError("it must be a number of days, 0 to 3650")
    return int(text)


def _choice(kind: type[Choice]) -> Callable[[str], Choice]:
    def read(text: str) -> Choice:
        if text not in [*kind]:
            raise ValueError(f"it must be one of {', '.join(kind)}")
        return kind(text)

    return read


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _secret_keys(text: str) -> tuple[str, ...]:
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    if not keys or any(len(key) < 16 for key in keys):
        raise ValueError("every key must have at least 16 characters")
    return keys


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a setting besides its type: what it is for, and how its text is read."""

    what: str
    read: Callable[[str], object]
    also: tuple[str, ...] = ()
    """Variables that other programs read for the same purpose; they count where ours is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the environment can say, with what holds when it says nothing."""

    database_url: Annotated[
        str | None,
        About(
            "A Postgres, 14 or newer, as a `postgresql://` URL. Name several hosts, separated by commas, where one of "
            "them at a time takes writes. Without it an embedded one is used.",
            _postgres_url,
        ),
    ] = field(default=None, repr=False)
    database_pool: Annotated[int, About("How many connections a replica opens at most.", _count)] = 20
    listen_url: Annotated[
        str | None,
        About(
            "The same database past a pooler in transaction mode, which carries no notices; or `off`, to look for what "
            "other replicas did every two seconds. Without it the database URL.",
            _listen_url,
        ),
    ] = field(default=None, repr=False)
    prepared_statements: Annotated[
        bool,
        About("Whether statements are prepared. `no` for a pooler in transaction mode that cannot keep them.", _yes),
    ] = True
    data_dir: Annotated[
        Path,
        About(
            "Where the embedded Postgres and the workspaces live. Without it `perdure` in the user's data directory "
            "(`$XDG_DATA_HOME`, else `~/.local/share`); for root `/var/lib/perdure`.",
            _path,
        ),
    ]
    postgres_bin: Annotated[
        Path | None,
        About(
            "The directory with the programs of the embedded Postgres. Without it those of the Python package.",
            _path,
        ),
    ] = None
    bind: Annotated[Address, About("The address to listen on, as `host:port`.", Address.parse)] = _LOOPBACK
    advertise: Annotated[
        Address | None,
        About(
            "The address at which other replicas reach this one, as `host:port`. Without it the one to listen on; "
            "where that is every address, this host's name.",
            Address.parse,
        ),
    ] = None
    public_url: Annotated[
        str | None,
        About(
            "Where browsers reach the server, such as `https://perdure.example.com`: links that sign people in lead "
            "there. Needed behind a proxy that speaks TLS, for signing in with a login service or to an MCP server. "
            "Without it what the request says.",
            _public_url,
        ),
    ] = None
    preview_url: Annotated[
        str | None,
        About(
            "Where what agents serve in their workspaces is looked at, such as `https://*.preview.example.net`: a name "
            "for each port in place of `*`, below a domain that nothing else uses. Without it, or with `off`, previews "
            "have no origin of their own and run in a sandbox; where the server is reached as `localhost`, names below "
            "`localhost` do.",
            _preview_url,
        ),
    ] = None
    allowed_origins: Annotated[
        tuple[str, ...],
        About(
            "Pages of other origins that may use `/v1`, `/ai`, `/ag-ui` and `/mcp` with a token, separated by commas, "
            "such as `https://app.example.com`. `*` lets every page.",
            _names,
        ),
    ] = ()
    secret_key: Annotated[
        tuple[str, ...],
        About(
            "What provider keys and other secrets are encrypted with, at least 16 characters. To rotate, put a new one "
            "in front, separated by a comma. Without it one is made and kept in the data directory.",
            _secret_keys,
        ),
    ] = field(default=(), repr=False)
    nats_url: Annotated[
        str | None,
        About(
            "A NATS server that carries notices between replicas, as a `nats://` or `tls://` URL, for large fleets. "
            "Without it Postgres does.",
            _nats_url,
        ),
    ] = field(default=None, repr=False)
    s3_url: Annotated[
        str | None,
        About(
            "Where the bytes of files go, in storage that speaks S3: `s3://bucket/prefix` at Amazon, "
            "`https://host/bucket/prefix` anywhere else. Without it they stay in Postgres.",
            _bucket_url,
        ),
    ] = None
    s3_region: Annotated[
        str,
        About("The region of the bucket. `AWS_REGION` counts too.", str, ("AWS_REGION", "AWS_DEFAULT_REGION")),
    ] = "us-east-1"
    s3_key: Annotated[
        str | None,
        About(
            "The keys for it, as `id:secret` or `id:secret:token`. Without it what Amazon's library finds on the "
            "machine: variables, a profile, a role.",
            str,
        ),
    ] = field(default=None, repr=False)
    s3_public_url: Annotated[
        str | None,
        About(
            "Where browsers reach the bucket, as `https://host/bucket`: signed addresses lead there. With `off` "
            "replicas pass the bytes on. Without it `PERDURE_S3_URL`, where that is encrypted.",
            _direct_url,
        ),
    ] = None
    s3_from: Annotated[
        int,
        About(
            "The smallest file that goes there, in bytes. With `never` nothing new does, and what is there is read.",
            _smallest,
        ),
    ] = 65_536
    s3_kept_days: Annotated[
        int,
        About(
            "How many days bytes stay there after the last file that has them was removed: as many as the oldest "
            "backup is old that you may go back to.",
            _days,
        ),
    ] = 1
    processes: Annotated[
        int,
        About(
            "How many processes share the address, each a replica of its own with its own capacity and connections. "
            "`auto` is one for each core.",
            _processes,
        ),
    ] = 1
    role: Annotated[
        ReplicaRole,
        About(
            "What a replica does: `api` takes requests and serves streams, `worker` drives chats and serves nobody, "
            "`all` does both.",
            _choice(ReplicaRole),
        ),
    ] = ReplicaRole.ALL
    capacity: Annotated[int, About("How many chats a replica drives at the same time.", _count)] = 200
    capacity_per_user: Annotated[int, About("How many of them may be one user's.", _count)] = 20
    drain_seconds: Annotated[
        int,
        About("How long a replica that shuts down lets answers and tool calls go on before others take them.", _count),
    ] = 20
    drain_once_seconds: Annotated[
        int, About("The same for tool calls that must not happen twice, such as a payment.", _count)
    ] = 120
    unsandboxed: Annotated[
        bool,
        About(
            "`yes` runs the commands of all local workspaces without a sandbox, as the server's own user, also where "
            "bubblewrap is installed. Whatever a model runs can then read and change all that the server can.",
            _yes,
        ),
    ] = False
    https_proxy: Annotated[
        str | None,
        About(
            "The proxy for what is behind `https://`: models, MCP servers, hooks, login services, the forge. "
            "`HTTPS_PROXY` counts too.",
            _http_url,
            ("HTTPS_PROXY", "https_proxy"),
        ),
    ] = field(default=None, repr=False)
    http_proxy: Annotated[
        str | None,
        About("The same for what is behind `http://`. `http_proxy` counts too.", _http_url, ("http_proxy",)),
    ] = field(default=None, repr=False)
    no_proxy: Annotated[
        tuple[str, ...],
        About(
            "Hosts that are reached without a proxy, separated by commas: names, `.suffixes`, or `*`. "
            "`NO_PROXY` counts too.",
            _names,
            ("NO_PROXY", "no_proxy"),
        ),
    ] = ()
    ca_file: Annotated[
        Path | None,
        About(
            "A file of certificates to trust in all of these, instead of the system's. `SSL_CERT_FILE` counts too.",
            _path,
            ("SSL_CERT_FILE",),
        ),
    ] = None
    forge_url: Annotated[
        str,
        About(
            "The API of the forge that pull requests are looked up at. A GitHub of your own has it below `/api/v3`.",
            _http_url,
        ),
    ] = "https://api.github.com"
    forge_token: Annotated[
        str | None,
        About("A token that may read pull requests there. Without it only public ones are looked up, and seldom.", str),
    ] = field(default=None, repr=False)
    otlp_endpoint: Annotated[
        str | None,
        About(
            "Where traces go: an OpenTelemetry collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. "
            "Without it nothing is traced. `OTEL_EXPORTER_OTLP_ENDPOINT` counts too.",
            _http_url,
            ("OTEL_EXPORTER_OTLP_ENDPOINT",),
        ),
    ] = None
    log_level: Annotated[
        LogLevel, About("The least severe lines to log: `debug`, `info`, `warning` or `error`.", _choice(LogLevel))
    ] = LogLevel.INFO
    log_format: Annotated[
        LogFormat, About("`json`, `text`, or `auto`: text on a terminal and JSON everywhere else.", _choice(LogFormat))
    ] = LogFormat.AUTO

    def reached_at(self, address: Address) -> str:
        """Where browsers reach what listens there."""
        return self.public_url or f"http://{address}"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        given = os.environ if environment is None else environment
        found = {name: _found(given, name, about) for name, about in described().items()}
        values = {name: value for name, value in found.items() if value is not None}
        return cls(**{"data_dir": _default_data_dir(given), **values})  # pyright: ignore[reportArgumentType]


def described() -> dict[str, About]:
    """Every setting with what is known of it."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(Settings, include_extras=True).items()}


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def misspelt(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables that look like ours and mean nothing, each with the one that was probably meant."""
    given = os.environ if environment is None else environment
    known = [variable(name) for name in described()]
    strange = [name for name in given if name.startswith(PREFIX) and name not in known]
    return {name: close[0] for name in strange if (close := difflib.get_close_matches(name, known, n=1, cutoff=0.85))}


def _found(environment: Mapping[str, str], name: str, about: About) -> object | None:
    """What the environment says of a setting: in our own words, which must be right, or in everybody's."""
    if text := environment.get(variable(name)):
        return _read(name, text)
    for text in (environment.get(key) for key in about.also):
        if text:
            with suppress(ValueError):
                return about.read(text)
    return None


def _read(name: str, text: str) -> object:
    try:
        return described()[name].read(text)
    except ValueError as error:
        raise Misconfigured(f"{variable(name)} is not usable: {error}.") from error


def _default_data_dir(environment: Mapping[str, str]) -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/perdure")
    return Path(environment.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "perdure"
