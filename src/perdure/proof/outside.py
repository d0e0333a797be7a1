"""The chaos test on a deployment that somebody else started: clients alone, their connections cut, the API asked."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from random import Random
from uuid import UUID

from perdure.client import Client
from perdure.client.chats import Chat, ChatView
from perdure.core.message import Message
from perdure.proof.balancer import Balancer
from perdure.proof.chaos import LOOK_PERIOD, ChaosReport
from perdure.proof.checked_transcript import complete, counted
from perdure.proof.checker import OUTSIDE, violations
from perdure.proof.evidence import ChatRow, Evidence, MessageRow, QueuedRow
from perdure.proof.observations import Observations
from perdure.proof.prompts import MINE
from perdure.proof.run_log import RunLog
from perdure.proof.users import Users

CUT_SHARE = 0.5
PAGE = 200


class NotSimulated(Exception):
    """The deployment's model does not do as it is told, so it may be one that costs money."""


class Outside:
    """One run on one address. The only thing it can break is the way there."""

    def __init__(self, url: str, tokens: Sequence[str], *, length: timedelta, seed: int) -> None:
        self._url = url
        self._tokens = tokens
        self._length = length
        self._seed = seed
        self._dice = Random(f"{seed} nemesis")
        self.log = RunLog()
        self._users = Users(tokens, seed=seed, log=self.log, tools=(MINE,))

    async def run(self, progress: Callable[[str], None]) -> ChaosReport:
        begun = time.monotonic()
        await self._probe()
        balancer = Balancer(lambda: [self._url], Random(f"{self._seed} balancer"))
        async with balancer.running(), self._users.at(balancer.url):
            await self._storm(balancer, progress)
            progress("resting")
            rested = await self._users.rest(self._evidence)
            progress("checking")
            evidence = await self._evidence()
            await self._users.caught_up(evidence)
        run = Observations(self.log, evidence, (), self._users.transcripts)
        return ChaosReport(
            seed=self._seed,
            seconds=time.monotonic() - begun,
            log=self.log,
            evidence=evidence,
            effects=(),
            wrong=tuple(dict.fromkeys((*self.log.wrong, *violations(run, OUTSIDE)))),
            failovers=(),
            rested_after=rested,
        )

    async def _probe(self) -> None:
        """Ask for something that only the simulator answers rightly, before asking for much."""
        async with Client(self._url, token=self._tokens[0]) as client:
            said = (await (await client.chats.create("[[count:3]]")).answer()).text
        if not complete(said) or counted(said) is not None:
            raise NotSimulated(said[:80])

    async def _storm(self, balancer: Balancer, progress: Callable[[str], None]) -> None:
        async with self._users.acting():
            await self._users.begun()
            until = time.monotonic() + self._length.total_seconds()
            while (left := until - time.monotonic()) > 0:
                await asyncio.sleep(min(LOOK_PERIOD * self._dice.uniform(0.5, 2), left))
                balancer.cut(CUT_SHARE)
                self.log.struck("cut clients")
                progress(f"{left:.0f} s left, {len(self.log.operations)} operations, {len(self.log.faults)} faults")

    async def _evidence(self) -> Evidence:
        """What the API says about the chats of this run, asked past the way that is cut."""
        taken = time.time()
        chats: list[ChatRow] = []
        messages: list[MessageRow] = []
        queued: list[QueuedRow] = []
        async with Client(self._url, token=self._tokens[0]) as client:
            for chat_id in [person.chat_id for person in self._users.people if person.chat_id is not None]:
                view = await client.connection.get(f"/chats/{chat_id}", ChatView)
                history = await _history(await client.chats.get(chat_id))
                messages += [_row(chat_id, message) for message in history]
                queued += [QueuedRow(chat_id, each.number, each.client_id, removed=False) for each in view.queue]
                chats.append(_chat(chat_id, view))
        return Evidence(taken, tuple(chats), tuple(messages), tuple(queued), ())


async def _history(chat: Chat) -> list[Message]:
    """All of it, the oldest first."""
    pages: list[Message] = []
    while page := await chat.messages(before=pages[-1].number if pages else None, limit=PAGE):
        pages += page
    return pages[::-1]


def _chat(chat_id: UUID, view: ChatView) -> ChatRow:
    numbers = tuple([each.number for each in view.queue])
    return ChatRow(chat_id, view.chat.status.value, numbers, view.chat.archived, False, False, 0, 0)


def _row(chat_id: UUID, message: Message) -> MessageRow:
    return MessageRow(
        chat_id=chat_id,
        number=message.number,
        revision=message.revision,
        role=message.role.value,
        visibility=message.visibility.value,
        kind=message.kind.value,
        parts=message.parts,
        client_id=message.client_id,
        queued_as=message.queued_as,
    )
