"""Having ourselves and the others killed in the middle of a turn and of a payment."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import aiohttp

from perdure.cli.bench_beside_kills import Talk, Tried, killed, open_till
from perdure.cli.beside_peers import FIRST_TOKENS, Peer, begun, free_port, running
from perdure.cli.proof_setup import own_postgres, prepared_database
from perdure.client import Client
from perdure.core.chat import Status
from perdure.core.events import ChatCard, MessagePart
from perdure.proof.processes import replica


class _OwnTalk(Talk):
    """A conversation with ourselves."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = clients
        self._id: UUID | None = None

    async def say(self, text: str, heard: Callable[[], None]) -> None:
        chat = await self._clients[-1].chats.create(text)
        self._id = chat.id
        async for event in chat.stream():
            if isinstance(event, MessagePart):
                heard()

    async def answers(self) -> int:
        card = await self._card()
        return int(card.status is Status.WAITING)

    async def asks(self) -> bool:
        return (await self._card()).status is Status.REQUIRES_ACTION

    async def _card(self) -> ChatCard:
        assert self._id is not None
        return (await self._clients[-1].chats.get(self._id)).card


async def killed_ours() -> str:
    clients: list[Client] = []
    with own_postgres() as postgres:
        async with prepared_database(postgres.url, 1) as (_, tokens), open_till() as till:

            @asynccontextmanager
            async def started() -> AsyncGenerator[Callable[[], Awaitable[None]]]:
                program = ("-m", "perdure.cli.chaos_replica", till.url)
                async with (
                    replica(postgres.url, postgres.folder / "ours", program=program) as one,
                    Client(one.url, token=tokens[0]) as client,
                ):
                    clients.append(client)
                    yield one.end

            pays = '[[call:record_once {"effect": "payment"}]] [[say:5 tokens]]'
            return await killed(Tried(started, lambda: _OwnTalk(clients), pays), till)


class _PeerTalk(Talk):
    """A conversation with a peer, wherever it is now."""

    def __init__(self, peer: Peer, http: aiohttp.ClientSession, where: list[str]) -> None:
        self._peer, self._http, self._where = peer, http, where
        self._chat = ""

    async def begin(self) -> None:
        self._chat = await begun(self._peer, self._http, self._where[-1])

    async def say(self, text: str, heard: Callable[[], None]) -> None:
        # The first token is told at the end of the answer; that it came shows in what the model was asked.
        asyncio.get_running_loop().call_later(FIRST_TOKENS, heard)
        await self._peer.say(self._http, self._where[-1], self._chat, text)

    async def answers(self) -> int:
        assert self._peer.reads is not None
        async with self._http.get(self._where[-1] + self._peer.reads.format(self._chat)) as answer:
            return _answers(await answer.json())


def _answers(read: Any) -> int:
    """How many answers a history holds: a list of ours, or the state of a thread."""
    if isinstance(read, list):
        return sum(each["role"] == "assistant" and bool(each["text"]) for each in cast("list[Any]", read))
    return sum(each.get("type") == "ai" and bool(each.get("content")) for each in read["values"].get("messages", ()))


async def killed_peer(peer: Peer, environment: Path, variables: Mapping[str, str]) -> str:
    if peer.reads is None:
        return "nothing is kept"
    where: list[str] = []
    # The same before and after: whoever is called back must be where it was.
    port = free_port()

    @asynccontextmanager
    async def started() -> AsyncGenerator[Callable[[], Awaitable[None]]]:
        async with running(peer, environment, told, port) as (url, pid):
            where.append(url)

            async def kill() -> None:
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)

            yield kill

    async with open_till() as till, aiohttp.ClientSession() as http:
        told = {**variables, "BESIDE_TILL_URL": till.url}
        return await killed(Tried(started, lambda: _PeerTalk(peer, http, where), "pay [[say:5 tokens]]"), till)
