"""What a request asks, put to the chat that it belongs to."""

from collections.abc import Sequence
from typing import Any

import msgspec

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.client_results import completed
from perdure.api.decoding import fitting
from perdure.api.routes.chats import begin_chat, describe_chat
from perdure.api.routes.copies import fork
from perdure.api.routes.messages import edit_message, send_message
from perdure.api.wire.chats import CreateBody, EditBody, PatchBody, SendBody, WorkspaceWish
from perdure.api.wire.content import AnyContent as Content
from perdure.api.wire.content import TextContent
from perdure.api.wire.extras import ForkBody
from perdure.core.chat import AT_REST, Busy, Status
from perdure.core.errors import ChatNotFound, InvalidInput, TransitionNotAllowed, Validation
from perdure.core.ids import ChatId, MessageNumber, ModelName
from perdure.core.message import NewMessage, Role, Text
from perdure.faces.asked import Asked, NoModel, StillAnswering, TurnId, offered
from perdure.faces.content import read_content
from perdure.faces.conversation import Entry, common
from perdure.faces.finding import Finding
from perdure.machine.transitions import Outcome

AGENT = "agent/"
"""Before the name of a template that is chosen as if it were a model."""
_TAKES_MESSAGES = AT_REST | {Status.REQUIRES_ACTION}


class Asking:
    """One request of one caller."""

    def __init__(self, caller: Caller, asked: Asked) -> None:
        self._caller = caller
        self._asked = asked
        self._finding = Finding(caller, asked)
        self._model: ModelName | None = None

    async def turn(self) -> TurnId:
        """The turn that answers the request: in a chat that begins, goes on, is edited, or is answering it already."""
        await self._check()
        found = await self._finding.chat()
        if found is None:
            return await self._begun(await self._finding.free_key())
        seen, ours = found
        return await self._continued(seen, ours, self._asked.entries)

    async def aside(self, task: str) -> TurnId:
        """The turn of a chat that is only about a task of the front end."""
        await self._check()
        return await self._begun(None, title=task, labels={"task": task})

    async def follow(self, chat_id: ChatId) -> TurnId:
        """The turn that answers what is new, in a chat that the client names."""
        await self._check()
        try:
            seen = await self._caller.chats.shared(chat_id)
        except ChatNotFound:
            if self._asked.key is None:
                raise
            return await self._begun(chat_id)
        return await self._added(seen)

    async def branch(self, turn: TurnId) -> TurnId:
        """The same after a turn of the past: what came after it stays where it is, and a new chat goes on from here."""
        await self._check()
        seen = await self._caller.chats.shared(turn.chat_id)
        last = await self._end_of(turn)
        if last is None:
            return await self._added(seen)
        body = ForkBody(
            after=MessageNumber(last),
            content=await self._content(),
            model=self._model,
            effort=self._asked.effort,
            client_id=self._asked.client_id,
        )
        created = await fork(self._caller, turn.chat_id, fitting(body))
        assert created.message is not None
        return TurnId(created.chat.id, created.message.number)

    async def _check(self) -> None:
        if not self._asked.new:
            raise InvalidInput("There is no message to answer.", Validation("messages", "the last one is an answer"))
        name = self._asked.model
        if name is None or name.startswith(AGENT):
            return
        if await self._caller.config.model(self._caller.actor.organisation_id, ModelName(name)) is None:
            raise NoModel(name)
        self._model = ModelName(name)

    async def _continued(self, seen: Seen, ours: Sequence[Entry], theirs: Sequence[Entry]) -> TurnId:
        shared = common(ours, theirs)
        knows_nothing = not shared and all(entry.role is Role.USER for entry in theirs)
        if (shared == len(ours) and theirs[shared:]) or (self._asked.joins and knows_nothing):
            return await self._added(seen)
        # The client's history is another from here on, or ends here.
        place = min(shared, len(theirs) - 1)
        while place and theirs[place].role is not Role.USER:
            place -= 1
        target = ours[min(place, len(ours) - 1)]
        if target.role is not Role.USER or any(entry.role is Role.ASSISTANT for entry in theirs[place:]):
            return await self._begun(None)
        if shared == len(theirs) and seen.chat.status not in AT_REST and seen.chat.turn == target.number:
            # It asks again for what is being answered: its connection was cut.
            return TurnId(seen.chat.id, target.number)
        body = EditBody(content=await self._content(), model=self._model, effort=self._asked.effort)
        sent = await edit_message(self._caller, seen.chat.id, MessageNumber(target.number), fitting(body))
        assert sent.message is not None
        return TurnId(seen.chat.id, sent.message.number)

    async def _added(self, seen: Seen) -> TurnId:
        await self._offer_tools(seen)
        outcomes = [
            Outcome(given.entry.calls[0], msgspec.json.encode(given.output).decode(), is_error=False)
            for given in self._asked.new
            if given.entry.role is Role.TOOL
        ]
        if outcomes:
            number = await completed(self._caller, seen, outcomes, answer=lambda commit: commit.messages[-1].number)
            return TurnId(seen.chat.id, number)
        if seen.chat.status not in _TAKES_MESSAGES:
            raise StillAnswering
        # Whoever says something else instead of bringing results has given them up.
        busy = Busy.QUEUE if seen.chat.status in AT_REST else Busy.INTERRUPT
        body = SendBody(
            content=await self._content(),
            busy=busy,
            model=self._model,
            effort=self._asked.effort,
            client_id=self._asked.client_id,
        )
        sent = await send_message(self._caller, seen.chat.id, fitting(body))
        if sent.message is None:
            raise StillAnswering
        return TurnId(seen.chat.id, sent.message.number)

    async def _offer_tools(self, seen: Seen) -> None:
        """The tools that the client has now, where they are others than before."""
        if self._asked.tools and self._asked.tools != offered(seen):
            await describe_chat(self._caller, seen.chat.id, fitting(PatchBody(client_tools=self._asked.tools)))

    async def _begun(self, chat_id: ChatId | None, **described: Any) -> TurnId:
        model = self._asked.model or ""
        template = model.removeprefix(AGENT) if model.startswith(AGENT) else None
        body = CreateBody(
            content=await self._content(),
            model=self._model,
            effort=self._asked.effort,
            system_prompt=self._asked.system or None,
            client_tools=self._asked.tools,
            client_id=self._asked.client_id,
            workspace=WorkspaceWish(template) if template else None,
            **(described or {"labels": {} if chat_id is not None else self._finding.labels}),
        )
        try:
            created = await begin_chat(self._caller, fitting(body), chat_id=chat_id, history=self._history)
        except TransitionNotAllowed:
            # Another request with the same key came first.
            raise StillAnswering from None
        assert created.message is not None
        return TurnId(created.chat.id, created.message.number)

    @property
    def _history(self) -> tuple[NewMessage, ...]:
        """What was said before what is new, where the chat does not hold it."""
        before = self._asked.given[: len(self._asked.given) - len(self._asked.new)]
        return tuple(
            NewMessage(role=given.entry.role, parts=(Text(text),))
            for given in before
            if (text := given.entry.text) and given.entry.role in (Role.USER, Role.ASSISTANT)
        )

    async def _content(self) -> tuple[Content, ...]:
        """All that is new in one message."""
        parts: list[Content] = []
        for given in self._asked.new:
            if given.entry.role is Role.USER:
                parts += await read_content(self._caller, given.content)
            elif given.output:
                parts.append(TextContent(given.output))
        return tuple(parts)

    async def _end_of(self, turn: TurnId) -> int | None:
        """The last message of a turn. None where no other turn follows it."""
        last = turn.number
        while page := await self._caller.chats.oldest(turn.chat_id, after=last, limit=200):
            for message in page:
                if message.role is Role.USER:
                    return last
                last = message.number
        return None
