"""How the server speaks with the proxy of a workspace: starting it, telling it rules, hearing of requests."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from perdure.core.errors import Misconfigured, WorkspaceUnreachable
from perdure.core.timing import EGRESS_STOP, WORKSPACE_REACH_RETRY
from perdure.workspaces.connection import Connection
from perdure.workspaces.egress.certificates import STORE_PASSWORD, Authority, java_store, new_authority
from perdure.workspaces.egress.main import EgressSettings, RulesBody
from perdure.workspaces.egress.proxy import PORT, SeenRequest
from perdure.workspaces.egress.rules import ArmedRule

TRUST_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
TRUST_VARIABLES = (
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO", "DENO_CERT", "AWS_CA_BUNDLE", "HTTPLIB2_CA_CERTS", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "NIX_SSL_CERT_FILE", "BUNDLE_SSL_CA_CERT", "NPM_CONFIG_CAFILE",
)  # fmt: skip
PEM, STORE = "certificates.pem", "certificates.jks"
JAVA_PROXY = {"Host": "127.0.0.1", "Port": str(PORT)}
MAVEN = ("aether.connector.http.useSystemProperties", "aether.transport.http.useSystemProperties")
"""From 3.9 on it reads the settings of other Java programs only where it is told so."""
MOST_TOLD = 5
NOT_STARTED = "The workspace's network could not be started. Call start_workspace and try again; else tell the user."

_authorities = msgspec.json.Decoder(Authority)


class EgressAnswer(Struct, frozen=True):
    """What a proxy says of itself and, where it was asked, of requests."""

    incarnation: str = ""
    last: int = 0
    requests: tuple[SeenRequest, ...] = ()
    spent: tuple[str, ...] = ()
    """The rules among those told that hold once and were used."""


@dataclass(frozen=True, slots=True)
class EgressPlaces:
    """Where the proxy of a workspace keeps what. Only `trusted` is visible inside, and of `offers` an open folder."""

    root: Path

    @property
    def control(self) -> Path:
        return self.root / "control.sock"

    @property
    def offers(self) -> Path:
        return self.root / "offers" / "socket"

    @property
    def authority(self) -> Path:
        return self.root / "authority.json"

    @property
    def trusted(self) -> Path:
        """Whom programs inside trust, as most of them want it and as Java does."""
        return self.root / "trusted"

    def make(self, name: str, users: "EgressUsers", trust: str | None = None) -> Authority:
        """The folders and the authority; the same one each time. Programs inside trust whom the proxy trusts, too:
        where TLS stays closed they see the certificates of servers.
        """
        self.offers.parent.mkdir(parents=True, exist_ok=True)
        self.offers.parent.chmod(0o777 if users.open else 0o700)
        if users.inside is not None:
            os.chown(self.offers.parent, users.inside, users.inside)
        if not self.authority.exists():
            fresh = self.root / "authority.new"
            fresh.touch(0o600)
            fresh.write_bytes(msgspec.json.encode(new_authority(name)))
            fresh.replace(self.authority)
        found = _authorities.decode(self.authority.read_bytes())
        certificates = "\n".join([*_system_trust(), *([trust] if trust else []), found.certificate])
        self.trusted.mkdir(exist_ok=True)
        self.trusted.chmod(0o755)
        for file, content in ((PEM, certificates.encode()), (STORE, java_store(certificates))):
            (self.trusted / file).write_bytes(content)
            (self.trusted / file).chmod(0o644)
        return found


OpenSecret = Callable[[bytes], str]


def sealed_for_good(sealed: bytes) -> str:
    """Where nobody was given the keys."""
    del sealed
    raise Misconfigured("There is no key to read the secrets of rules with.")


@dataclass(frozen=True, slots=True)
class EgressOptions:
    """What holds for all proxies of a deployment."""

    trust: str | None = None
    """Certificates besides the system's that servers outside may have."""
    hosts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Names that are not looked up, with their addresses."""
    open_secret: OpenSecret = sealed_for_good
    """How the secrets of rules are read, outside."""


@dataclass(frozen=True, slots=True)
class EgressUsers:
    """As whom a proxy runs, and as whom the agent program that offers it a socket; as the server where none is said."""

    proxy: int | None = None
    inside: int | None = None
    open: bool = False
    """Whether the agent program has a user that cannot be told from here. The folder around it is closed."""


class EgressControl:
    """The proxy of one workspace, as the server sees it."""

    def __init__(self, places: EgressPlaces) -> None:
        self._places = places

    async def tell(self, rules: Sequence[ArmedRule]) -> EgressAnswer:
        return await self._ask("PUT", "/v1/rules", body=RulesBody(tuple(rules)))

    async def requests(self, after: int, patience: timedelta = timedelta()) -> EgressAnswer:
        """Those after a number, as soon as there are any."""
        query: dict[str, str | int] = {"after": after, "wait_ms": int(patience.total_seconds() * 1000)}
        return await self._ask("GET", "/v1/requests", query=query, wait=patience)

    async def last(self) -> int:
        return (await self.requests(0)).last

    async def refused(self, after: int) -> Sequence[str]:
        """What did not leave since, each once; nothing where the proxy does not say."""
        try:
            seen = (await self.requests(after)).requests
        except WorkspaceUnreachable:
            return []
        said = [f"{each.method} {each.host}:{each.port}{each.path}: {each.reason}" for each in seen if not each.allowed]
        return list(dict.fromkeys(said))[:MOST_TOLD]

    async def running(self) -> bool:
        try:
            await self._ask("GET", "/v1/health")
        except WorkspaceUnreachable:
            return False
        return True

    async def stop(self) -> None:
        """End the proxy. It is gone then: whoever starts one right after must not find it."""
        with contextlib.suppress(WorkspaceUnreachable, TimeoutError):
            async with asyncio.timeout(EGRESS_STOP.total_seconds()):
                ending = (await self._ask("POST", "/v1/shutdown")).incarnation
                while (await self._ask("GET", "/v1/health")).incarnation == ending:  # noqa: ASYNC110
                    await asyncio.sleep(WORKSPACE_REACH_RETRY.total_seconds())

    async def start(self, name: str, options: EgressOptions, users: EgressUsers) -> None:
        """Run the proxy, unless it runs. It outlives this process."""
        if await self.running():
            return
        authority = await asyncio.to_thread(self._places.make, name, users, options.trust)
        settings = EgressSettings(
            control=str(self._places.control),
            offers=str(self._places.offers),
            authority=authority,
            log=str(self._places.root / "log"),
            user=users.proxy,
            inside=users.inside,
            open=users.open,
            trust=options.trust,
            hosts=dict(options.hosts),
        )
        # The name is for whoever lists the processes of the machine.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-m", "perdure.workspaces.egress.main", name, env={},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            close_fds=True, start_new_session=True,
        )  # fmt: skip
        _, errors = await process.communicate(msgspec.json.encode(settings))
        if process.returncode:
            raise WorkspaceUnreachable(f"{NOT_STARTED} It said: {errors.decode()[-500:]}")

    async def _ask(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str | int] | None = None,
        body: object = None,
        wait: timedelta | None = None,
    ) -> EgressAnswer:
        connection = Connection.at(self._places.control)
        try:
            return await connection.ask(EgressAnswer, method, path, query=query, body=body, wait=wait)
        finally:
            await connection.close()


def environment(trusted: str) -> dict[str, str]:
    """What makes the usual programs use the proxy, and trust what it shows them, without being configured."""
    proxy = f"http://127.0.0.1:{PORT}"
    exempt = "localhost,127.0.0.1,::1"
    store = {"": f"{trusted}/{STORE}", "Type": "JKS", "Password": STORE_PASSWORD}
    java = {
        **{f"{name}.proxy{what}": value for name in ("http", "https") for what, value in JAVA_PROXY.items()},
        "http.nonProxyHosts": "localhost|127.*",
        **{f"javax.net.ssl.trustStore{what}": value for what, value in store.items()},
        **dict.fromkeys(MAVEN, "true"),
    }
    proxies = {name: proxy for plain in ("http_proxy", "https_proxy", "all_proxy") for name in (plain, plain.upper())}
    return {
        **proxies,
        "no_proxy": exempt,
        "NO_PROXY": exempt,
        "NODE_USE_ENV_PROXY": "1",
        "JAVA_TOOL_OPTIONS": " ".join(f"-D{name}={value}" for name, value in java.items()),
        **dict.fromkeys(TRUST_VARIABLES, f"{trusted}/{PEM}"),
    }


def _system_trust() -> list[str]:
    return [Path(name).read_text() for name in TRUST_FILES if Path(name).is_file()][:1]
