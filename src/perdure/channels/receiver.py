"""What comes from a channel. Its author is a user here, and does what they could do on the page, once."""

from perdure.channels.decisions import decide
from perdure.channels.inbound import AccountLink, InboundDecision
from perdure.channels.messages import deliver
from perdure.channels.people import link, own
from perdure.channels.readers import READERS
from perdure.config.triggers import TriggerOptions
from perdure.core.ids import ChatId
from perdure.core.payload import Payload
from perdure.store.pool import Pool
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Skip


class ChannelReceiver:
    """Brings what people of a channel say to the chats of its threads."""

    def __init__(self, pool: Pool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    async def receive(
        self, occasion: Occasion, delivery: TakenDelivery, options: TriggerOptions, payload: Payload
    ) -> ChatId:
        """The chat that the delivery went into. `occasion` is that of the delivery."""
        assert options.channel is not None
        inbound = READERS[options.channel](payload, options.handle)
        if inbound is None:
            raise Skip("Nothing in it is for the agent.")
        if isinstance(inbound, AccountLink):
            raise Skip(await link(self._pool, delivery, options.channel, inbound))
        theirs = await own(self._pool, occasion, delivery, options.channel, inbound)
        if isinstance(inbound, InboundDecision):
            return await decide(self._pool, self._admission, theirs, delivery, options, inbound)
        return await deliver(self._pool, self._admission, theirs, delivery, options, inbound)
