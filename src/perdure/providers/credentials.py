"""Whose key pays: a way to authorize one request, and never a way to read the key back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

from perdure.providers.errors.failures import KeyMissing


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request about to be sent, as far as a signature needs to know it."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class Credentials(Protocol):
    async def authorize(self, outgoing: Outgoing, /) -> Mapping[str, str]:
        """The headers that make the request ours."""
        ...


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key in a header. It shows in no representation of this object."""

    secret: str = field(repr=False)
    header: str = "authorization"
    prefix: str = "Bearer "

    async def authorize(self, _: Outgoing, /) -> Mapping[str, str]:
        return {self.header: f"{self.prefix}{self.secret}"}


@dataclass(frozen=True, slots=True)
class NoKey:
    """For servers that ask for none, such as a model on the same machine."""

    async def authorize(self, _: Outgoing, /) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True, slots=True)
class Key:
    """One of the keys for a provider. A personal one pays only for its owner, who prefers it."""

    id: str
    secret: str = field(repr=False)
    personal: bool = False


def choose_key(keys: Sequence[Key], chat: str, *, spent: frozenset[str] = frozenset()) -> Key:
    """The key for a chat: its owner's own if there is one, else one of the shared, always the same one.

    A chat stays with a key because prompt caches belong to keys; a key that failed is left out by naming it `spent`.
    """
    usable = [key for key in keys if key.id not in spent and key.secret.strip()]
    own = [key for key in usable if key.personal]
    if not usable:
        raise KeyMissing("there is no key for this provider")
    return max(own or usable, key=lambda key: _weight(key.id, chat))


def key_for(secret: str | None, chat: str) -> str | None:
    """The key for a chat out of a secret that may hold several, one to a line. A document in braces is one key."""
    if not secret or secret.lstrip().startswith("{"):
        return secret
    lines = [line.strip() for line in secret.splitlines() if line.strip()]
    if len(lines) < 2:
        return secret.strip()
    keys = [Key(blake2b(line.encode(), digest_size=8).hexdigest(), line) for line in lines]
    return choose_key(keys, chat).secret


def _weight(key_id: str, chat: str) -> bytes:
    return blake2b(f"{key_id}/{chat}".encode(), digest_size=8).digest()
