"""Hearing a channel: whoever speaks there is somebody here, and does what they could do on the page, once."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from uuid import uuid4

from perdure.api.routes.control import act
from perdure.api.wire.content import TextContent
from perdure.api.wire.control import ActionBody, CallDecision
from perdure.channels.github import read_github
from perdure.channels.heard import Decided, Heard, Linking, Person, Spoken
from perdure.channels.slack import read_slack
from perdure.config.triggers import Channel, TriggerOptions
from perdure.core.errors import QueueFull, Refused
from perdure.core.ids import ChatId
from perdure.core.payload import Payload
from perdure.core.timing import CHANNEL_CODE_KEPT
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import channels, triggers
from perdure.store.tables.triggers import TakenDelivery
from perdure.triggers.admission import Admission, Occasion
from perdure.triggers.speaking import Later, Skip, message, new_chat

READERS: Mapping[Channel, Callable[[Payload, str], Heard | None]] = {
    Channel.GITHUB: read_github,
    Channel.SLACK: read_slack,
}


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
        scope = OrganisationScope(self._pool, delivery.organisation_id)
        if isinstance(heard, Linking):
            raise Skip(await self._linked(scope, options.channel, heard))
        own = await self._own(occasion, delivery, scope, options.channel, heard)
        if isinstance(heard, Decided):
            return await self._decided(own, delivery, heard)
        return await self._spoken(own, delivery, options, heard)

    async def _linked(self, scope: OrganisationScope, channel: Channel, heard: Linking) -> str:
        code, person = hashlib.sha256(heard.code.encode()).digest(), heard.person
        email = await channels.link(scope, channel, person.external, code, person.name, CHANNEL_CODE_KEPT)
        return f"The code of {person.name} is not known, or too old." if email is None else f"{person.name} is {email}."

    async def _own(
        self,
        occasion: Occasion,
        delivery: TakenDelivery,
        scope: OrganisationScope,
        channel: Channel,
        heard: Spoken | Decided,
    ) -> Occasion:
        """The same message is the same occasion, in however many deliveries it comes; and it is its author's."""
        found = await channels.person(scope, channel, heard.person.external)
        if found is None:
            raise Skip(f"{_named(heard.person)} is not linked to an account.")
        name = f"channel/{delivery.trigger_id}/{heard.name}"
        return replace(occasion, name=name, user_id=found.id, organisation_id=found.organisation_id, role=found.role)

    async def _spoken(
        self, occasion: Occasion, delivery: TakenDelivery, options: TriggerOptions, heard: Spoken
    ) -> ChatId:
        if (known := await self._admission.known(occasion)) is not None:
            return known
        trigger_id, thread = delivery.trigger_id, delivery.thread
        chat_id = await channels.chat(self._pool, trigger_id, thread)
        if chat_id is not None:
            try:
                body = message(options, (TextContent(heard.text),), options.busy)
                return await self._admission.say(occasion, chat_id, body)
            except QueueFull:
                raise Later("The queue of its chat is full.") from None
        if not heard.begins:
            raise Skip("It does not mention the agent, and its thread is no chat.")
        named = await triggers.chat_of_thread(self._pool, trigger_id, thread, uuid4())
        text = "\n\n".join(each for each in (heard.opening, heard.text) if each)
        body = new_chat(options, (TextContent(text),), f"{options.name}: {thread}")
        return await self._admission.begin(occasion, body, named.chat_id)

    async def _decided(self, occasion: Occasion, delivery: TakenDelivery, heard: Decided) -> ChatId:
        chat_id = await channels.chat(self._pool, delivery.trigger_id, delivery.thread)
        if chat_id is None:
            raise Skip("Its thread is no chat.")
        caller = self._admission.caller(occasion)
        seen = await caller.chats.own(chat_id)
        call = seen.chat.call(heard.call)
        if call is None or seen.chat.last_assistant != heard.message:
            raise Skip("This was decided already.")
        decision = CallDecision(call_id=call.call_id, decision=heard.choice)
        try:
            await act(caller, chat_id, ActionBody(decisions=(decision,), message=heard.message))
        except Refused as error:
            raise Skip(str(error)) from error
        caller.announcements.make()
        return chat_id


def _named(person: Person) -> str:
    return f"{person.name} ({person.external})"
