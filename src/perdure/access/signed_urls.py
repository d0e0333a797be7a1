"""Addresses that let somebody without a session fetch one thing for a few minutes, as whoever asked for them."""

from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from perdure.access.actor import PERMISSIONS, Actor, Role
from perdure.access.keyring import Keyring
from perdure.access.signatures import Signatures
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
        self._signatures = Signatures(keyring.derived(_PURPOSE))
        self._clock = clock

    def sign(self, subject: UUID, actor: Actor) -> str:
        until = self._clock.now() + SIGNED_URL_KEPT
        return self._signatures.sealed(
            msgspec.json.encode(_Grant(subject, actor.user_id, actor.organisation_id, until))
        )

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
        content = self._signatures.opened(signature)
        try:
            return None if content is None else msgspec.json.decode(content, type=_Grant)
        except msgspec.MsgspecError:
            return None
