"""What goes to a channel from the chats of its threads: an answer, a failure, a call that waits for approval."""

from perdure.channels.event_posts import post_for
from perdure.channels.posts import Destination
from perdure.channels.readers import POSTERS
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


class ChannelSender:
    """Posts what the outbox holds for a channel. It reads the chat as its owner, as any client would."""

    def __init__(self, pool: Pool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    async def send(self, event: TakenEvent, credential: str, http: Http) -> tuple[int | None, str]:
        """The status of the channel's answer, and why it did not accept the post."""
        found = await channels.place(self._pool, event.webhook_id, event.chat_id)
        if found is None or event.thread is None:
            return _NOTHING, "The chat is gone."
        occasion = Occasion("", ChatSource.TRIGGER, found.owner_id, found.organisation_id, found.role, "")
        caller = self._admission.caller(occasion)
        try:
            post = await post_for(caller, event)
        except PerdureError as error:
            return None, str(error)
        if post is None:
            return _NOTHING, ""
        channel = read_trigger(found.options).channel
        assert channel is not None
        again = event.attempts > 1
        destination = Destination(
            event.name.hex, event.url, credential, event.thread, again, event.created_at, caller.services.clock.now()
        )
        status, detail = await POSTERS[channel](destination, post, http)
        # A webhook that answers so is switched off; an issue that is gone is one of many.
        return (_MISSING if status == _GONE else status), detail
