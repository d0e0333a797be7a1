"""Telling a channel what happened in the chats of its threads: an answer, a failure, a call that waits."""

from perdure.channels.post import Out
from perdure.channels.readers import POSTERS
from perdure.channels.told import told_of
from perdure.config.triggers import read_trigger
from perdure.core.card import ChatSource
from perdure.core.errors import PerdureError
from perdure.store.pool import Pool
from perdure.store.tables import channels
from perdure.store.tables.webhooks import TakenEvent
from perdure.triggers.admission import Admission, Occasion
from perdure.worker.webhooks import Http

_NOTHING = 204
_GONE, _MISSING = 410, 404


class Telling:
    """Posts what the outbox holds for a channel. It reads the chat as its owner, as any client would."""

    def __init__(self, pool: Pool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    async def tell(self, event: TakenEvent, credential: str, http: Http) -> tuple[int | None, str]:
        """What the channel answered, and why it did not take it."""
        found = await channels.place(self._pool, event.webhook_id, event.chat_id)
        if found is None or event.thread is None:
            return _NOTHING, "The chat is gone."
        occasion = Occasion("", ChatSource.TRIGGER, found.owner_id, found.organisation_id, found.role)
        caller = self._admission.caller(occasion)
        try:
            told = await told_of(caller, event)
        except PerdureError as error:
            return None, str(error)
        if told is None:
            return _NOTHING, ""
        channel = read_trigger(found.options).channel
        assert channel is not None
        again = event.attempts > 1
        out = Out(
            event.name.hex, event.url, credential, event.thread, again, event.created_at, caller.services.clock.now()
        )
        status, detail = await POSTERS[channel](out, told, http)
        # A webhook that answers so is switched off; an issue that is gone is one of many.
        return (_MISSING if status == _GONE else status), detail
