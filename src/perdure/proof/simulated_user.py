"""Clients of a chaos run: each has a chat, follows it, and does at random what people do."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from random import Random
from typing import Any
from uuid import UUID

import aiohttp

from perdure.client import ApiError, Chat, Client, Transport, tool
from perdure.client.chats import Sent
from perdure.core.action import ActionKind
from perdure.core.chat import Busy, Status
from perdure.core.events import PendingAction
from perdure.core.message import Role
from perdure.proof.checked_transcript import CheckedTranscript
from perdure.proof.prompts import ONCE, TOOLS, prompt
from perdure.proof.run_log import Operation, RequestOutcome, RunLog

_UNHEARD = (aiohttp.ClientError, TimeoutError, OSError)
PATIENCE = 30.0
BUSY_WAYS = (Busy.QUEUE, Busy.QUEUE, Busy.STEER, Busy.STEER, Busy.INTERRUPT)
BUDGET = 1_000_000_000
RESTING = (Status.WAITING, Status.ERROR)


@tool
def ask_person(effect: str) -> str:
    """Ask the person who wrote."""
    return f"seen {effect}"


class SimulatedUser:
    """One chat's owner. `run` is a life of acting; `tidy` only answers what is asked."""

    def __init__(self, client: Client, name: str, *, seed: str, log: RunLog, tools: Sequence[str] = TOOLS) -> None:
        self._client = client
        self._name = name
        self._dice = Random(f"{seed} {name}")
        self._log = log
        self._tools = tools
        self._budgeted = self._dice.random() < 0.5
        """Where a chat has a budget, its runner commits before it asks the model."""
        self._sent = 0
        self.begun = asyncio.Event()
        """Set once it has a chat."""
        self.patient_until = 0.0
        """Until then it waits and sees."""
        self._under_way = 0
        self._chat: Chat | None = None
        self.transcripts: list[CheckedTranscript] = []
        self._following: list[asyncio.Task[None]] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def chat_id(self) -> UUID | None:
        return self._chat.id if self._chat else None

    @property
    def occupied(self) -> bool:
        """Whether it waits for an answer to something that it asked for."""
        return self._under_way > 0

    async def run(self) -> None:
        """Until cancelled: act, wait, act."""
        while self._chat is None:
            await self._begin()
        while True:
            await asyncio.sleep(self._dice.uniform(0.05, 0.9))
            if time.monotonic() >= self.patient_until:
                await self._act()

    async def tidy(self) -> None:
        """Until cancelled: answer what the chat asks, so that it can come to rest."""
        while True:
            await asyncio.sleep(0.1)
            if self._chat is not None and self.transcripts[0].action is not None:
                await self._answer(self._chat, self.transcripts[0].action)

    async def stop(self) -> None:
        """Stop the chat, whoever drives it."""
        if self._chat is not None:
            await self._asked("interrupt", self._chat.interrupt())

    async def move(self, verb: str, client: Client) -> bool:
        """Stop the chat, or edit what was said last, by that way. Whether that was accepted."""
        if self._chat is None:
            return False
        chat = Chat(client.connection, self._chat.card)
        if verb == "edit":
            return await self._edit(chat, newest=1)
        return await self._asked(verb, chat.interrupt())

    async def leave(self) -> None:
        for task in self._following:
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)

    async def _begin(self) -> None:
        said = self._prompt()
        try:
            async with asyncio.timeout(PATIENCE):
                options = {"budget_limit": BUDGET} if self._budgeted else {}
                chat = await self._client.chats.create(said[1], tools=[ask_person], client_id=said[0], **options)
        except (*_UNHEARD, ApiError) as error:
            self._log.note(None, self._name, f"could not begin: {error!r}")
            await asyncio.sleep(0.5)
            return
        self._chat = chat
        self.begun.set()
        self._log.did(Operation(time.time(), chat.id, "create", RequestOutcome.ACCEPTED, marker=said[0]))
        for number, transport in enumerate((Transport.WEBSOCKET, Transport.SSE)):
            transcript = CheckedTranscript(chat.id, f"{self._name}.{number}", self._log)
            self.transcripts.append(transcript)
            self._following.append(asyncio.create_task(self._follow(chat, transcript, transport)))
        if ONCE in self._tools and self._dice.random() < 0.3:
            await self._asked("approvals", self._approvals(chat))

    async def _approvals(self, chat: Chat) -> None:
        await self._client.connection.call(
            "PATCH", f"/chats/{chat.id}", dict[str, Any], body={"approvals": {ONCE: "ask"}}
        )

    async def _follow(self, chat: Chat, transcript: CheckedTranscript, transport: Transport) -> None:
        """Watch, go away, come back: the next connection goes on where the last one ended."""
        while True:
            stream = chat.stream(transport=transport)
            stream.transcript = transcript
            events = aiter(stream)
            try:
                async with asyncio.timeout(self._dice.uniform(2, 20)):
                    async for _ in events:
                        pass
            except TimeoutError:
                self._log.reconnects += 1
            except (ApiError, *_UNHEARD) as error:
                self._log.note(chat.id, transcript.name, f"the stream broke: {error!r}")
                await asyncio.sleep(0.2)
            finally:
                with suppress(*_UNHEARD):
                    await events.aclose()

    async def _act(self) -> None:
        chat, seen = self._chat, self.transcripts[0]
        assert chat is not None
        if seen.action is not None and self._dice.random() < 0.7:
            await self._answer(chat, seen.action)
            return
        if seen.status in RESTING:
            await (self._edit(chat) if self._dice.random() < 0.12 else self._send(chat, Busy.QUEUE))
            return
        dice = self._dice.random()
        if dice < 0.45 and len(seen.queue) < 4:
            await self._send(chat, self._dice.choice(BUSY_WAYS))
        elif dice < 0.6 and seen.queue:
            await self._touch_queue(chat)
        elif dice < 0.68:
            await self.stop()
        elif dice < 0.72:
            await self._edit(chat)

    def _prompt(self) -> tuple[str, str]:
        self._sent += 1
        marker = f"{self._name}-{self._sent}"
        return marker, prompt(marker, self._dice, self._tools).text

    async def _send(self, chat: Chat, busy: Busy) -> None:
        marker, text = self._prompt()
        sending = chat.send(text, busy=busy, client_id=marker)
        await self._asked("send", sending, marker=marker)

    async def _edit(self, chat: Chat, *, newest: int = 3) -> bool:
        mine = [message.number for message in self.transcripts[0].messages if message.role is Role.USER]
        if not mine:
            return False
        marker, text = self._prompt()
        number = self._dice.choice(mine[-newest:])
        return await self._asked("edit", chat.edit(number, text, client_id=marker), marker=marker, number=number)

    async def _touch_queue(self, chat: Chat) -> None:
        connection, path = self._client.connection, f"/chats/{chat.id}/queue"
        number = self._dice.choice(self.transcripts[0].queue).number
        if self._dice.random() < 0.4:
            await self._asked("delete", connection.call("DELETE", f"{path}/{number}", object), number=number)
        else:
            await self._asked("promote", connection.post(f"{path}/{number}/promote", object, {}), number=number)

    async def _answer(self, chat: Chat, action: PendingAction) -> None:
        self._log.asked[action.kind.value] += 1
        path = f"/chats/{chat.id}"
        if action.kind is ActionKind.CLIENT_TOOL:
            results = [
                {"call_id": call.call_id, "output": (await ask_person.call(call.args))[0]} for call in action.calls
            ]
            body = {"results": results}
            await self._asked("results", self._client.connection.post(f"{path}/tool-results", object, body))
            return
        choices = (
            ("approve", "approve", "deny") if action.kind is ActionKind.APPROVAL else ("happened", "repeat", "skip")
        )
        chosen = [(call, self._dice.choice(choices)) for call in action.calls if call.decision is None]
        decisions = [{"call_id": call.call_id, "decision": choice} for call, choice in chosen]
        await self._asked(f"decide {action.kind}", chat.act(decisions=decisions))

    async def _asked(self, verb: str, asking: Awaitable[object], *, marker: str = "", number: int = 0) -> bool:
        assert self._chat is not None
        self._under_way += 1
        line, outcome = "", RequestOutcome.UNKNOWN
        try:
            async with asyncio.timeout(PATIENCE):
                line = _line(await asking)
            outcome = RequestOutcome.ACCEPTED
        except ApiError as error:
            if error.status < 500:
                outcome = RequestOutcome.REFUSED
            self._log.note(self._chat.id, self._name, f"{verb}: {error.status} {error}")
        except _UNHEARD as error:
            self._log.note(self._chat.id, self._name, f"{verb}: {error!r}")
        finally:
            # Also when the run ends in the middle of a request.
            self._under_way -= 1
            self._log.did(Operation(time.time(), self._chat.id, verb, outcome, marker, number, line))
        return outcome is RequestOutcome.ACCEPTED


def _line(answer: object) -> str:
    """Where a message that was sent waits now."""
    if isinstance(answer, Sent) and answer.queued is not None:
        return "steer" if answer.queued.steer else "queue"
    return ""
