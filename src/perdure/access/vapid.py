"""The key pair by which push services know this deployment: made once, stored encrypted, shared by all replicas."""

import base64
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from perdure.access.keyring import Keyring
from perdure.store.pool import Pool
from perdure.store.tables import secrets

NAME = PURPOSE = "vapid"


class VapidKeys:
    """Reads the key pair, and makes it where there is none."""

    def __init__(self, pool: Pool, keyring: Keyring) -> None:
        self._pool = pool
        self._keyring = keyring
        self._key: EllipticCurvePrivateKey | None = None

    async def public(self) -> str:
        """What browsers are told, as they want it."""
        return _public(await self._load())

    async def signature(self, audience: str, contact: str, until: datetime) -> str:
        """The Authorization header of a push to this service."""
        # Slow to load, and only for those who have a browser that subscribed.
        import jwt  # noqa: PLC0415

        key = await self._load()
        claims = {"aud": audience, "sub": contact, "exp": until}
        return f"vapid t={jwt.encode(claims, key, algorithm='ES256')}, k={_public(key)}"

    async def _load(self) -> EllipticCurvePrivateKey:
        if self._key is None:
            sealed = await secrets.read(self._pool, NAME)
            if sealed is None:
                await secrets.keep(self._pool, NAME, self._keyring.seal(_made(), PURPOSE))
                # Another replica may have been first.
                sealed = await secrets.read(self._pool, NAME)
            assert sealed is not None
            key = load_pem_private_key(self._keyring.open(sealed, PURPOSE).encode(), None)
            assert isinstance(key, EllipticCurvePrivateKey)
            self._key = key
        return self._key


def _public(key: EllipticCurvePrivateKey) -> str:
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def _made() -> str:
    key = generate_private_key(SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
