"""Secrets of others that we must be able to read again: encrypted, with a key that is made once where none is given."""

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from perdure.core.errors import Misconfigured

_NONCE = 12
_NAME = 4


class Keyring:
    """The first key encrypts; every key decrypts. To rotate, put a new key first and re-encrypt.

    A sealed secret is the name of its key, a nonce, and what AES-GCM makes of it. `purpose` is bound to it: a row
    copied into another place does not open there.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys:
            raise Misconfigured("There is no key to encrypt secrets with. Set PERDURE_SECRET_KEY.")
        self._keys = {_name(key): AESGCM(key) for key in keys}
        self._first = _name(keys[0])
        self._first_key = keys[0]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Keyring":
        """From what people put into the environment: anything of at least 16 characters."""
        if any(len(text) < 16 for text in texts):
            raise Misconfigured("PERDURE_SECRET_KEY must have at least 16 characters.")
        return cls([hashlib.sha256(b"perdure-secrets" + text.encode()).digest() for text in texts])

    def seal(self, secret: str, purpose: str) -> bytes:
        nonce = secrets.token_bytes(_NONCE)
        return self._first + nonce + self._keys[self._first].encrypt(nonce, secret.encode(), purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> str:
        name, nonce, content = sealed[:_NAME], sealed[_NAME : _NAME + _NONCE], sealed[_NAME + _NONCE :]
        key = self._keys.get(name)
        if key is None:
            raise Misconfigured("A stored secret was encrypted with a key that PERDURE_SECRET_KEY no longer names.")
        try:
            return key.decrypt(nonce, content, purpose.encode()).decode()
        except InvalidTag as error:
            raise Misconfigured("A stored secret is damaged.") from error

    def derived(self, purpose: str) -> str:
        """A secret for something else, which everyone with the same first key arrives at."""
        return hmac.new(self._first_key, purpose.encode(), hashlib.sha256).hexdigest()

    @property
    def deployment(self) -> str:
        """What all replicas call theirs where several deployments share a place. It tells nothing of the key."""
        return self.derived("deployment")[:16]

    def knows(self, sealed: bytes) -> bool:
        """Whether one of the keys sealed it."""
        return sealed[:_NAME] in self._keys

    def stale(self, sealed: bytes) -> bool:
        """Whether it was sealed with an older key."""
        return sealed[:_NAME] != self._first


def _name(key: bytes) -> bytes:
    return hashlib.sha256(b"name" + key).digest()[:_NAME]


def generated() -> str:
    """A fresh key, as text."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


NAME = "secret.key"


def open_keyring(keys: Sequence[str], folder: Path) -> Keyring:
    """The given keys, else the one in the folder, made if it is not there."""
    return Keyring.of(keys or [_kept(folder / NAME)])


def existing_keyring(keys: Sequence[str], folder: Path) -> Keyring | None:
    """The same, for those who only look: None where no key was made yet."""
    path = folder / NAME
    if keys:
        return Keyring.of(keys)
    return Keyring.of([path.read_text().strip()]) if path.is_file() else None


def _kept(path: Path) -> str:
    if path.is_file():
        return path.read_text().strip()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent, prefix=f".{NAME}.") as file:
            file.write(generated())
            file.flush()
            # Whole or not at all: of two replicas that start together, one makes the key and both use it.
            with suppress(FileExistsError):
                os.link(file.name, path)
    except OSError as error:
        raise Misconfigured(f"{path} cannot be written ({error.strerror}). Set PERDURE_SECRET_KEY.") from error
    return path.read_text().strip()
