"""Saying that the database lost commits that this replica had seen: a failover to a standby that was behind."""

import logging

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.store.tables import audit

_log = logging.getLogger(__name__)


class Losses:
    """One line in the log, one in the audit log and one more on the counter for each chat that went back."""

    def __init__(self, pool: Pool, measures: DatabaseMeasures | None = None) -> None:
        self._pool = pool
        self._count = (measures or DatabaseMeasures(Metrics())).lost_histories

    async def say(self, chat_id: ChatId, *, remembered: int, found: int) -> None:
        """The chat was at one version, and what the database has now does not come after it."""
        self._count.inc()
        text = f"version {remembered} was committed and is gone; the database has version {found} of another past"
        _log.error("the database lost changes of chat %s: %s", chat_id, text)
        try:
            await audit.note_loss(self._pool, chat_id, text)
        except (Unavailable, DatabaseFault) as error:
            _log.warning("the loss could not be noted in the audit log: %s", error)
