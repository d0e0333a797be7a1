"""What lets a browser see what is served in a workspace: signed, for one person, one chat and one port, for a while."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec
from msgspec import Struct

from perdure.access.actor import Actor
from perdure.access.keyring import Keyring
from perdure.access.signatures import Signatures
from perdure.core.errors import NotFound
from perdure.core.ids import ChatId, OrganisationId, UserId, WorkspaceId
from perdure.core.timing import PREVIEW_KEPT, PREVIEW_LINK_KEPT, Clock
from perdure.store.pool import Pool
from perdure.store.tables import workspaces
from perdure.store.tables.workspaces import WorkspaceRow

_PURPOSE = "preview"
OVER = "This preview has ended. Open it again from its chat."


class Use(StrEnum):
    """Where a grant is shown. One that is for one place is worth nothing at another."""

    LINK = "link"
    """In the address that opens a preview on its own origin."""
    COOKIE = "cookie"
    """In the cookie that such an origin has from then on."""
    PATH = "path"
    """In the path of a preview without an origin of its own."""


_KEPT = {Use.LINK: PREVIEW_LINK_KEPT, Use.COOKIE: PREVIEW_KEPT, Use.PATH: PREVIEW_KEPT}


class Preview(Struct, frozen=True, array_like=True):
    """One port of one workspace, as one person sees it in one chat."""

    chat_id: ChatId
    workspace_id: WorkspaceId
    port: int
    user_id: UserId
    organisation_id: OrganisationId
    session_id: UUID | None
    page: str
    """Where the page is that shows it in a frame."""

    @classmethod
    def by(cls, actor: Actor, chat_id: ChatId, workspace_id: WorkspaceId, port: int, page: str) -> "Preview":
        return cls(chat_id, workspace_id, port, actor.user_id, actor.organisation_id, actor.session_id, page)


class _PreviewGrant(Struct, frozen=True, array_like=True):
    use: Use
    until: datetime
    preview: Preview


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody whom no session of theirs has to prove right now."""

    db: Pool
    user_id: UserId
    organisation_id: OrganisationId


class Previews:
    """Makes and reads grants. What they name is looked up each time, so that a lost right ends them."""

    def __init__(self, pool: Pool, keyring: Keyring, clock: Clock) -> None:
        self._pool = pool
        self._signatures = Signatures(keyring.derived(_PURPOSE))
        self._clock = clock

    def kept(self, use: Use) -> timedelta:
        return _KEPT[use]

    def sign(self, preview: Preview, use: Use) -> str:
        return self._signatures.sealed(msgspec.json.encode(_PreviewGrant(use, self._clock.now() + _KEPT[use], preview)))

    def read(self, text: str, use: Use) -> Preview:
        content = self._signatures.opened(text)
        try:
            grant = None if content is None else msgspec.json.decode(content, type=_PreviewGrant)
        except msgspec.MsgspecError:
            grant = None
        if grant is None or grant.use is not use or grant.until < self._clock.now():
            raise NotFound(OVER)
        return grant.preview

    async def workspace(self, preview: Preview) -> WorkspaceRow:
        """The workspace, while the person may read the chat that acts in it."""
        row = await self._row(preview)
        if row is None:
            raise NotFound(OVER)
        return row

    async def holds(self, preview: Preview) -> bool:
        return await self._row(preview) is not None

    async def _row(self, preview: Preview) -> WorkspaceRow | None:
        person = _Person(self._pool, preview.user_id, preview.organisation_id)
        return await workspaces.previewed(person, preview.session_id, preview.chat_id, preview.workspace_id)
