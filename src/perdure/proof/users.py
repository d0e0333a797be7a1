"""The people of a chaos run, together: they act, they answer what they are asked, and they saw what happened."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from uuid import UUID

from perdure.client import Client
from perdure.client.chats import ChatView
from perdure.proof.checked_transcript import CheckedTranscript
from perdure.proof.checker import AT_REST
from perdure.proof.evidence import Evidence
from perdure.proof.prompts import TOOLS
from perdure.proof.run_log import RunLog
from perdure.proof.simulated_user import PATIENCE, SimulatedUser

CHATS_EACH = 4
REST_BAR = 60.0
CAUGHT_UP = 60.0
MOVED_PATIENCE = 2.0
_LOOK_AGAIN = 0.25


class Users:
    """A few people for each token, each with a chat."""

    def __init__(self, tokens: Sequence[str], *, seed: int, log: RunLog, tools: Sequence[str] = TOOLS) -> None:
        self._tokens = tokens
        self._seed = seed
        self._log = log
        self._tools = tools
        self.people: list[SimulatedUser] = []
        self._token_of: dict[str, str] = {}

    @property
    def transcripts(self) -> list[CheckedTranscript]:
        return [transcript for person in self.people for transcript in person.transcripts]

    @asynccontextmanager
    async def at(self, url: str) -> AsyncGenerator[None]:
        """Have them there, following their chats, until the end."""
        async with AsyncExitStack() as stack:
            for number, token in enumerate(self._tokens):
                client = await stack.enter_async_context(Client(url, token=token))
                people = [self._person(client, f"p{number}{chat}") for chat in range(CHATS_EACH)]
                self._token_of.update({person.name: token for person in people})
                self.people += people
            try:
                yield
            finally:
                await asyncio.gather(*(person.leave() for person in self.people))

    def _person(self, client: Client, name: str) -> SimulatedUser:
        return SimulatedUser(client, name, seed=str(self._seed), log=self._log, tools=self._tools)

    @asynccontextmanager
    async def acting(self) -> AsyncGenerator[None]:
        async with together([person.run() for person in self.people]):
            yield

    async def begun(self) -> None:
        """Wait until everybody has a chat, for as long as one of them waits for an answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*(person.begun.wait() for person in self.people))

    async def stop(self, chat_id: UUID) -> None:
        """Have a chat's owner stop it."""
        for person in self._owners(chat_id):
            await person.stop()

    def spare(self, chat_id: UUID, seconds: float) -> None:
        """Have a chat's owner wait and see for a while."""
        for person in self._owners(chat_id):
            person.patient_until = time.monotonic() + seconds

    @property
    def unoccupied(self) -> list[UUID]:
        """The chats whose owners wait for no answer: what is committed for them is not what they asked for."""
        return [person.chat_id for person in self.people if person.chat_id is not None and not person.occupied]

    def name(self, chat_id: UUID) -> str:
        """Its owner's name."""
        return next(person.name for person in self._owners(chat_id))

    async def move(self, chat_id: UUID, verb: str, url: str) -> bool:
        """Have a chat's owner stop or edit it there, and then wait and see. Whether that was accepted."""
        for person in self._owners(chat_id):
            self.spare(chat_id, MOVED_PATIENCE)
            async with Client(url, token=self._token_of[person.name]) as client:
                return await person.move(verb, client)
        return False

    async def look(self, chat_id: UUID, url: str) -> None:
        """Have a chat's owner look at it there."""
        async with Client(url, token=self._token_of[self.name(chat_id)]) as client:
            await client.connection.get(f"/chats/{chat_id}", ChatView)

    async def rest(self, look: Callable[[], Awaitable[Evidence]]) -> float | None:
        """Seconds until every chat is at rest, with people who answer what they are asked and nothing else."""
        begun = time.monotonic()
        async with together([person.tidy() for person in self.people]):
            while time.monotonic() - begun < REST_BAR:
                await asyncio.sleep(_LOOK_AGAIN)
                if all(chat.status in AT_REST and not chat.owned for chat in (await look()).chats):
                    return time.monotonic() - begun
        return None

    async def caught_up(self, evidence: Evidence) -> None:
        """Give the streams as long as a slow poll takes on a machine that is busy."""
        newest: dict[UUID, int] = {}
        for message in evidence.messages:
            if not message.hidden and message.visibility != "model" and message.role != "system":
                newest[message.chat_id] = message.number
        until = time.monotonic() + CAUGHT_UP
        while time.monotonic() < until:
            if all((w.messages[-1].number if w.messages else 0) == newest.get(w.chat_id, 0) for w in self.transcripts):
                return
            await asyncio.sleep(0.1)

    def _owners(self, chat_id: UUID) -> list[SimulatedUser]:
        return [person for person in self.people if person.chat_id == chat_id]


@asynccontextmanager
async def together(lives: Sequence[Coroutine[Any, Any, None]]) -> AsyncGenerator[None]:
    """Have all of them lived meanwhile. Where one goes wrong, that is the end."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(life) for life in lives]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
