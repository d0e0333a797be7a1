"""A push service on a loopback port, over TLS, and the browsers that it serves: they read what was meant for them."""

import base64
import ssl
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import http_ece  # pyright: ignore[reportMissingTypeStubs]
import jwt
import msgspec
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat


@dataclass
class Browser:
    """A subscription, with the keys that only the browser has."""

    endpoint: str
    status: int = 201
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = b"sixteen bytes ok"
    got: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    signed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def subscription(self) -> dict[str, Any]:
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "keys": {"p256dh": _text(point), "auth": _text(self.auth)}}

    def read(self, body: bytes) -> None:
        clear: Any = http_ece.decrypt(body, private_key=self.private, auth_secret=self.auth)  # pyright: ignore[reportUnknownMemberType]
        self.got.append(msgspec.json.decode(clear))


class PushService:
    """Takes messages for browsers whose address it gave away."""

    def __init__(self) -> None:
        self.url = ""
        self.trust = ssl.create_default_context()
        self.browsers: dict[str, Browser] = {}

    def browser(self, name: str) -> Browser:
        browser = self.browsers[name] = Browser(f"{self.url}/push/{name}")
        return browser

    async def take(self, request: web.Request) -> web.Response:
        browser = self.browsers[request.match_info["name"]]
        token, key = request.headers["authorization"].removeprefix("vapid t=").split(", k=")
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(key))
        claims = jwt.decode(token, public, algorithms=["ES256"], audience=self.url)
        browser.signed.append({**claims, "key": key, "ttl": request.headers["ttl"]})
        if browser.status < 400:
            browser.read(await request.read())
        return web.Response(status=browser.status)


@asynccontextmanager
async def push_service() -> AsyncGenerator[PushService]:
    service = PushService()
    app = web.Application()
    app.router.add_post("/push/{name}", service.take)
    runner = web.AppRunner(app)
    await runner.setup()
    with tempfile.TemporaryDirectory(prefix="perdure-push-") as folder:
        certificate = _certificate(Path(folder))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        service.trust.load_verify_locations(certificate)
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        service.url = f"https://localhost:{runner.addresses[0][1]}"
        try:
            yield service
        finally:
            await runner.cleanup()


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return path


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
