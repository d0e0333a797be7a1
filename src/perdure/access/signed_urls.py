"""Addresses that let somebody without a session fetch one thing for a few minutes, as whoever asked for them."""

import base64
import hashlib
import hmac
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from perdure.access.actor import PERMISSIONS, Actor, Role
from perdure.access.keyring import Keyring
from perdure.core.errors import NotFound
from perdure.core.ids import OrganisationId, UserId
from perdure.core.timing import SIGNED_URL_KEPT, Clock
from perdure.store.pool import Pool
from perdure.store.tables import users

_PURPOSE = "signed url"
OVER = "This address is not valid any more."


class _Grant(Struct, frozen=True, array_like=True):
    subject: UUID
    user_id: UserId
    organisation_id: OrganisationId
    until: datetime


class SignedUrls:
    """Makes and reads signatures. What they name is still read as the person who asked: a lost right ends them."""

    def __init__(self, pool: Pool, keyring: Keyring, clock: Clock) -> None:
        self._pool = pool
        self._key = keyring.derived(_PURPOSE).encode()
        self._clock = clock

    def sign(self, subject: UUID, actor: Actor) -> str:
        until = self._clock.now() + SIGNED_URL_KEPT
        grant = msgspec.json.encode(_Grant(subject, actor.user_id, actor.organisation_id, until))
        return f"{_text(grant)}.{_text(self._mark(grant))}"

    async def actor(self, subject: UUID, signature: str) -> Actor:
        """Whoever asked for the address of this thing, while they may sign in."""
        grant = self._grant(signature)
        if grant is None or grant.subject != subject or grant.until < self._clock.now():
            raise NotFound(OVER)
        if await users.admitted(self._pool, grant.user_id, grant.organisation_id) is None:
            raise NotFound(OVER)
        return Actor(
            user_id=grant.user_id,
            organisation_id=grant.organisation_id,
            role=Role.MEMBER,
            permissions=PERMISSIONS[Role.MEMBER],
            writes=False,
        )

    def _grant(self, signature: str) -> _Grant | None:
        text, _, mark = signature.partition(".")
        try:
            grant = base64.urlsafe_b64decode(text)
            if not hmac.compare_digest(base64.urlsafe_b64decode(mark), self._mark(grant)):
                return None
            return msgspec.json.decode(grant, type=_Grant)
        except (ValueError, msgspec.MsgspecError):
            return None

    def _mark(self, grant: bytes) -> bytes:
        return hmac.new(self._key, grant, hashlib.sha256).digest()


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode()
