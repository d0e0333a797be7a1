"""How a cluster is reached and who we are there: from a kubeconfig, or from the pod that the server runs in."""

import asyncio
import base64
import json
import ssl
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from perdure.core.errors import Misconfigured
from perdure.core.timing import CLUSTER_LOGIN, CLUSTER_TOKEN_READ_AGAIN

INSIDE = Path("/var/run/secrets/kubernetes.io/serviceaccount")
INSIDE_URL = "https://kubernetes.default.svc"
EXPIRED = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Token:
    """What says who we are, read again when it may have changed. Empty where a certificate says it."""

    fixed: str = ""
    file: Path | None = None
    program: tuple[str, ...] = ()
    _read: str = ""
    _until: datetime = EXPIRED
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def current(self) -> str:
        if self.file is None and not self.program:
            return self.fixed
        async with self._lock:
            now = datetime.now(UTC)
            if now >= self._until:
                self._read, self._until = await self._fresh(now)
            return self._read

    def forget(self) -> None:
        """It was refused: the next one is read anew."""
        self._until = EXPIRED

    async def _fresh(self, now: datetime) -> tuple[str, datetime]:
        if self.file is not None:
            try:
                return (await asyncio.to_thread(self.file.read_text)).strip(), now + CLUSTER_TOKEN_READ_AGAIN
            except OSError as error:
                raise Misconfigured(f"The token at {self.file} cannot be read: {error.strerror}.") from error
        return await self._asked(now)

    async def _asked(self, now: datetime) -> tuple[str, datetime]:
        """What the kubeconfig's program prints, as `ExecCredential` says."""
        name = " ".join(self.program)
        try:
            process = await asyncio.create_subprocess_exec(
                *self.program, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            async with asyncio.timeout(CLUSTER_LOGIN.total_seconds()):
                said, _ = await process.communicate()
            status: dict[str, Any] = json.loads(said)["status"]
            token = str(status["token"])
        except OSError as error:
            raise Misconfigured(f"The kubeconfig's program {name} cannot be started: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, TimeoutError) as error:
            raise Misconfigured(
                f"The kubeconfig's program {name} gave no token ({type(error).__name__}): log in again."
            ) from error
        until = status.get("expirationTimestamp")
        ends = datetime.fromisoformat(until) - CLUSTER_TOKEN_READ_AGAIN if until else now + CLUSTER_TOKEN_READ_AGAIN
        return token, ends


@dataclass(frozen=True, slots=True)
class Access:
    """One cluster, as one user, in one namespace."""

    url: str
    namespace: str
    tls: ssl.SSLContext
    token: Token


def inside() -> Access:
    """From within a pod, as its service account."""
    try:
        namespace = (INSIDE / "namespace").read_text().strip()
        tls = ssl.create_default_context(cafile=str(INSIDE / "ca.crt"))
    except OSError as error:
        raise Misconfigured(
            "The server does not run in a pod with a service account. Name a kubeconfig with the template's "
            "setting 'cluster', or mount the token (automountServiceAccountToken)."
        ) from error
    return Access(INSIDE_URL, namespace, tls, Token(file=INSIDE / "token"))


def from_kubeconfig(path: Path) -> Access:
    """What `kubectl` would use: the current context of a file."""
    try:
        found: dict[str, Any] = yaml.safe_load(path.read_text())
        context = _named(found, "contexts", "context", str(found["current-context"]))
        cluster = _named(found, "clusters", "cluster", str(context["cluster"]))
        user = _named(found, "users", "user", str(context["user"]))
        url = str(cluster["server"]).rstrip("/")
        namespace = str(context.get("namespace") or "default")
        return Access(url, namespace, _tls(path, cluster, user), _token(path, user))
    except (KeyError, TypeError, AttributeError, yaml.YAMLError, ValueError, OSError) as error:
        reason = f"{type(error).__name__} {error}".splitlines()[0]
        raise Misconfigured(f"The kubeconfig at {path} cannot be used ({reason}): give a whole one.") from error


def _named(config: dict[str, Any], many: str, one: str, name: str) -> dict[str, Any]:
    for each in config[many]:
        if each["name"] == name:
            return each[one] or {}
    raise KeyError(f"{one} {name}")


def _tls(path: Path, cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    authority = _content(path, cluster, "certificate-authority")
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        raise Misconfigured(f"The kubeconfig at {path} turns certificate checks off: give the cluster's authority.")
    certificate, key = _content(path, user, "client-certificate"), _content(path, user, "client-key")
    if certificate and key:
        # The library reads them only from a file.
        with tempfile.NamedTemporaryFile(prefix="perdure-") as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name)
    return context


def _content(path: Path, values: dict[str, Any], name: str) -> bytes:
    if values.get(f"{name}-data"):
        return base64.b64decode(str(values[f"{name}-data"]), validate=True)
    return (path.parent / str(values[name])).read_bytes() if values.get(name) else b""


def _token(path: Path, user: dict[str, Any]) -> Token:
    if user.get("exec"):
        program: dict[str, Any] = user["exec"]
        more = (f"{each['name']}={each['value']}" for each in program.get("env") or ())
        arguments = (str(word) for word in program.get("args") or ())
        return Token(program=("env", *more, str(program["command"]), *arguments))
    if user.get("tokenFile"):
        return Token(file=path.parent / str(user["tokenFile"]))
    return Token(fixed=str(user.get("token") or ""))
