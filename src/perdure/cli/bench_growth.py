"""What a long chat and a large database cost: a turn, opening a chat cold, a search; and how tables grow."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from uuid import uuid4

import aiohttp
import msgspec

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database
from perdure.proof.processes import replica
from perdure.proof.scale.bars import Bar, quantile
from perdure.proof.scale.filling import Size, copied, searchable, sizes
from perdure.proof.scale.load import Deployment
from perdure.proof.scale.load_chat import BASE, LoadChat
from perdure.proof.scale.stages import LOOK, session, settled
from perdure.store.connection import connect
from perdure.store.tables import search

BATCH = 1000
"""How many messages one request brings along."""
SHORT, COLD, WINDOW, ROUNDS = 10, 9, 20, 3
OF_A_CHAT = 100
RARE, USUAL, COMMON = "word40000", "word3000", "word300"
"""Words that one message in some 20,000, 1,000 and 100 says."""
SEARCHES = 9
TEXT = "[[say:20 tokens]]"


async def measured(messages: int, searched: int) -> tuple[list[Bar], str]:
    """A chat of so many messages, then so many messages that search knows."""
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres.url, 1) as (_, tokens), session() as http:
            folder = postgres.folder / "replicas"
            async with replica(postgres.url, folder) as one:
                place = Deployment(urls=(one.url,), tokens=tokens, pids=(one.process.pid,), database_url=postgres.url)
                shown(f"a chat of {messages:,} messages")
                bars = await _long_chat(place, http, folder, messages)
                shown(f"{searched:,} messages that search knows")
                await _searchable(place, http, searched)
                shown("searching")
                bars += await _searches(place, http, searched)
                found = await sizes(postgres.url)
    return bars, table(found)


async def _long_chat(place: Deployment, http: aiohttp.ClientSession, folder: Path, messages: int) -> list[Bar]:
    long, short = await _imported(place, http, messages), await _imported(place, http, SHORT)
    cold = [await _imported(place, http, messages) for _ in range(COLD)]
    await _search_caught_up(place)
    for talk in (long, short):
        await talk.follow()
        for _ in range(WINDOW):
            await talk.send(TEXT)
    late: list[float] = []
    early: list[float] = []
    for _ in range(ROUNDS):
        late.append(await _of_a_turn(place, long))
        early.append(await _of_a_turn(place, short))
        # A chat that is short stays so.
        await short.close()
        short = await _imported(place, http, SHORT)
        await short.follow()
        await short.send(TEXT)
    opened = await _opened_cold(place, http, folder, cold)
    for talk in (long, short):
        await talk.close()
    return [
        Bar(f"CPU of a warm turn in a chat of {messages:,} messages", min(late) / min(early), 1.5, "x"),
        Bar(f"opening a chat of {messages:,} messages cold, p50", median(opened), 50.0, "ms"),
    ]


async def _search_caught_up(place: Deployment) -> None:
    """Wait until search knows what was brought along: that is no part of a turn."""
    connection = await connect(place.database_url)
    while await search.behind(connection, 1):  # noqa: ASYNC110
        await asyncio.sleep(LOOK)
    await connection.close()


async def _of_a_turn(place: Deployment, talk: LoadChat) -> float:
    before = await settled(place)
    for _ in range(WINDOW):
        await talk.send(TEXT)
    return (await settled(place) - before) / WINDOW


async def _imported(place: Deployment, http: aiohttp.ClientSession, count: int) -> LoadChat:
    """A chat that was brought along, question by answer."""
    talk, name, last, chat = place.talk(http, 0), str(uuid4()), None, ""
    for first in range(0, count, BATCH):
        numbers = range(first, min(count, first + BATCH))
        body = {
            "source": "bench",
            "source_id": name,
            "messages": [_brought(number) for number in numbers],
            **({} if last is None else {"after": last}),
        }
        last = f"m{numbers[-1]}"
        headers = {"authorization": f"Bearer {talk.token}"}
        async with http.post(f"{talk.url}{BASE}/imports", json=body, headers=headers) as answer:
            said = await answer.read()
            answer.raise_for_status()
            chat = msgspec.json.decode(said)["chat_id"]
    talk.chat_id = chat
    return talk


def _brought(number: int) -> dict[str, object]:
    role = "assistant" if number % 2 else "user"
    return {"key": f"m{number}", "role": role, "parts": [{"type": "text", "text": f"number {number} of this chat"}]}


async def _opened_cold(
    place: Deployment, http: aiohttp.ClientSession, folder: Path, talks: Sequence[LoadChat]
) -> list[float]:
    """Milliseconds until a replica that never saw the chat has told its end to somebody who opens it."""
    found: list[float] = []
    async with replica(place.database_url, folder, name="cold") as other:
        for talk in talks:
            url = f"{other.url}{BASE}/chats/{talk.chat_id}/stream"
            begun = time.perf_counter()
            async with http.ws_connect(
                url, headers={"authorization": f"Bearer {talk.token}"}, max_msg_size=0
            ) as stream:
                await stream.receive()
                found.append((time.perf_counter() - begun) * 1e3)
    # The first one finds a replica that never served anybody.
    return found[1:]


async def _searchable(place: Deployment, http: aiohttp.ClientSession, count: int) -> None:
    """Messages that search knows, in chats of one person."""
    base = await _imported(place, http, 2)
    copies = await copied(place.database_url, base.chat_id, count // OF_A_CHAT)
    await searchable(place.database_url, copies, OF_A_CHAT)


async def _searches(place: Deployment, http: aiohttp.ClientSession, count: int) -> list[Bar]:
    bars: list[Bar] = []
    talk = place.talk(http, 0)
    for name, word in (("seldom", RARE), ("sometimes", USUAL), ("often", COMMON)):
        took = [await _search(http, talk, word) for _ in range(SEARCHES)]
        bars.append(Bar(f"search over {count:,} messages for a word said {name}, p50", median(took[1:]), 100.0, "ms"))
        bars.append(Bar(f"the slowest of {SEARCHES - 1}", quantile(took[1:], 1.0), 250.0, "ms"))
    return bars


async def _search(http: aiohttp.ClientSession, talk: LoadChat, word: str) -> float:
    begun = time.perf_counter()
    headers = {"authorization": f"Bearer {talk.token}"}
    async with http.get(f"{talk.url}{BASE}/chats", params={"q": word}, headers=headers) as answer:
        await answer.read()
        answer.raise_for_status()
    return (time.perf_counter() - begun) * 1e3


def table(found: Sequence[Size]) -> str:
    lines = [f"{'table':<18}{'rows':>10}{'bytes a row':>13}{'of indexes':>12}"]
    lines += [f"{each.name:<18}{each.rows:>10}{each.own:>13.0f}{each.indexes:>12.0f}" for each in found]
    return "\n".join(lines)
