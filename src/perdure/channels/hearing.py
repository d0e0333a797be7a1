"""Hearing a channel: whoever speaks there is somebody here, and does what they could do on the page, once."""

from perdure.channels.deciding import decide
from perdure.channels.heard import Decided, Linking
from perdure.channels.people import link, own
from perdure.channels.readers import READERS
from perdure.channels.spoken import speak
from perdure.config.triggers import TriggerOptions
from perdure.core.ids import ChatId
from perdure.core.payload import Payload
from perdure.store.pool import Pool
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Skip


class Hearing:
    """Brings what people of a channel say to the chats of its threads."""

    def __init__(self, pool: Pool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    async def brought(
        self, occasion: Occasion, delivery: TakenDelivery, options: TriggerOptions, payload: Payload
    ) -> ChatId:
        """The chat that the delivery went into. `occasion` is that of the delivery."""
        assert options.channel is not None
        heard = READERS[options.channel](payload, options.handle)
        if heard is None:
            raise Skip("Nothing in it is for the agent.")
        if isinstance(heard, Linking):
            raise Skip(await link(self._pool, delivery, options.channel, heard))
        theirs = await own(self._pool, occasion, delivery, options.channel, heard)
        if isinstance(heard, Decided):
            return await decide(self._pool, self._admission, theirs, delivery, heard)
        return await speak(self._pool, self._admission, theirs, delivery, options, heard)
