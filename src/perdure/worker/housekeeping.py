"""Keeping house: chats that rest for long are archived, what was kept long enough is removed."""

import logging
from collections import defaultdict
from datetime import timedelta
from functools import partial

import msgspec

from perdure.config.config import Config
from perdure.core.errors import PerdureError
from perdure.core.ids import OrganisationId, UserId
from perdure.core.notice import DELETED, Notice, Topic
from perdure.core.tasks import every
from perdure.core.timing import HOUSEKEEPING_PERIOD, IDEMPOTENCY_KEPT, OVER_KEPT, Clock
from perdure.machine.machine import Machine
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import (
    audit,
    budgets,
    chats,
    files,
    idempotency_keys,
    inbox,
    locks,
    login_links,
    messages,
    organisations,
    sessions,
    tokens,
)

BATCH = 200
SHOWN_TITLES = 5
_log = logging.getLogger(__name__)


class Housekeeping:
    """Goes through every organisation now and then. Of several replicas one does so at a time."""

    def __init__(self, pool: Pool, machine: Machine, config: Config, pubsub: Pubsub, clock: Clock) -> None:
        self._pool = pool
        self._machine = machine
        self._config = config
        self._pubsub = pubsub
        self._clock = clock

    async def run(self) -> None:
        report = partial(_log.warning, "house is kept later: %s")
        await every(
            HOUSEKEEPING_PERIOD,
            self.once,
            self._clock,
            expected=(PerdureError,),
            report=report,
        )

    async def once(self) -> None:
        async with transaction(self._pool) as connection:
            if not await locks.housekeeping(connection):
                return
            for organisation in await organisations.every(self._pool):
                await self._tidy(organisation)
            await self._forget()

    async def _tidy(self, organisation: OrganisationId) -> None:
        settings = await self._config.settings(organisation)
        if settings.auto_archive.idle_days > 0:
            await self._archive(organisation, timedelta(days=settings.auto_archive.idle_days))
        if settings.retention.archived_days > 0:
            await self._remove(organisation, timedelta(days=settings.retention.archived_days))

    async def _remove(self, organisation: OrganisationId, kept: timedelta) -> None:
        while gone := await chats.forget_archived(self._pool, organisation, kept, BATCH):
            self._pubsub.publish([Notice(Topic.CHAT, chat_id, name=DELETED) for chat_id in gone])
            await self._note(organisation, "chats.purge", chats=len(gone))
        if unused := await files.forget_unused(self._pool, organisation, kept):
            await self._note(organisation, "files.purge", files=len(unused))

    async def _archive(self, organisation: OrganisationId, idle: timedelta) -> None:
        """Archive families that nobody touched for so long, and tell each owner once."""
        archived: defaultdict[UserId, list[str]] = defaultdict(list)
        for root in await chats.idle_roots(self._pool, organisation, idle, BATCH):
            try:
                await self._machine.archive_family(root.id, archived=True)
            except PerdureError as error:
                _log.info("chat %s is not archived: %s", root.id, error)
            else:
                archived[root.owner_id].append(root.title)
        for owner, titles in archived.items():
            await inbox.digest(self._pool, owner, *_digest(titles, idle))
            self._pubsub.publish([Notice(Topic.INBOX, name=str(owner))])

    async def _note(self, organisation: OrganisationId, action: str, **detail: int) -> None:
        text = msgspec.json.encode(detail).decode()
        await audit.note(self._pool, organisation, action, text)

    async def _forget(self) -> None:
        """What is over for everybody."""
        await idempotency_keys.forget_old(self._pool, IDEMPOTENCY_KEPT)
        await messages.forget_removed(self._pool, IDEMPOTENCY_KEPT)
        await budgets.forget_settled(self._pool, IDEMPOTENCY_KEPT)
        await tokens.forget_over(self._pool, OVER_KEPT)
        await sessions.forget_over(self._pool)
        await login_links.forget_over(self._pool)


def _digest(titles: list[str], idle: timedelta) -> tuple[str, str]:
    chats = "1 chat was" if len(titles) == 1 else f"{len(titles)} chats were"
    more = f" and {len(titles) - SHOWN_TITLES} more" if len(titles) > SHOWN_TITLES else ""
    return f"{chats} archived", f"Nobody used them for {idle.days} days: {', '.join(titles[:SHOWN_TITLES])}{more}."
