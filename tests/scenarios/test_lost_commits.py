"""A failover to a standby that was behind: what is lost is said, and nobody sees both pasts."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote
from uuid import UUID

import pytest

from perdure.app.foundation import migrate_database
from perdure.cli.chaos_replica import MODULE
from perdure.client import Chat, Client
from perdure.client.transcript import Transcript
from perdure.proof.ledger import Ledger
from perdure.store.pool import Pool, open_pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen
from perdure.testing.postgres_pair import PostgresPair, postgres_pair

DESCRIBES = "Describe the conversation below"
KEPT, LOST, AFTER = "[[say:kept]]", "[[say:lost]]", "[[say:after]]"


@asynccontextmanager
async def following(chat: Chat) -> AsyncGenerator[Transcript]:
    """What a client knows, which comes again whenever its stream ends."""
    stream = chat.stream()

    async def follow() -> None:
        async with aclosing(aiter(stream)) as events:
            async for _ in events:
                pass

    task = asyncio.create_task(follow())
    try:
        yield stream.transcript
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _history(pool: Pool, chat_id: UUID) -> list[tuple[int, int]]:
    rows = await pool.fetch(
        "SELECT number, revision FROM messages WHERE chat_id = $1 AND hidden_in IS NULL"
        " AND visibility <> 'model' AND role <> 'system' ORDER BY number",
        chat_id,
    )
    return [(row["number"], row["revision"]) for row in rows]


async def _shows(transcript: Transcript, pool: Pool, chat_id: UUID) -> bool:
    return [(each.number, each.revision) for each in transcript.messages] == await _history(pool, chat_id)


async def _lost_of(fleet: Fleet) -> float:
    pages = [await fleet.numbers(number) for number in range(len(fleet.replicas))]
    return sum(sample(page, "perdure_lost_histories_total") for page in pages)


class Payment:
    """A chat that has something done that must not be done twice, in a time that is lost."""

    def __init__(self, fleet: Fleet, ledger: Ledger, name: str) -> None:
        self._fleet = fleet
        self._ledger = ledger
        self._name = name
        self._chat = ""

    async def is_due(self) -> None:
        """The chat is at work, and its next step will be the call."""
        call = f'[[call:record_once {{"effect": "{self._name}"}}]]'
        self._chat = await self._fleet.asks(0, f"[[gate:{self._name}]] {call} [[say:paid]]")
        await self._fleet.sim.gates[self._name].reached()

    async def is_made(self) -> None:
        await self._fleet.sim.gates[self._name].set(open=True)
        await self._fleet.comes_to_rest(0, self._chat)
        assert self._times == 1

    async def is_asked_about(self) -> None:
        """The database knows nothing of the call. The model wants it again, and people are asked first."""
        await self._fleet.until(0, self._chat, lambda card: card["status"] not in ("running", "interrupting"))
        action = (await self._fleet.at(0).get(f"/chats/{self._chat}")).json["action"]
        assert (action and action["kind"], self._times) == ("outcome_unknown", 1)
        decision = {"call_id": action["calls"][0]["call_id"], "decision": "skip"}
        assert (await self._fleet.at(0).post(f"/chats/{self._chat}/action", {"decisions": [decision]})).status == 200
        await self._fleet.comes_to_rest(0, self._chat)
        assert self._times == 1

    @property
    def _times(self) -> int:
        return [each.effect for each in self._ledger.performed].count(self._name)


class Turn:
    """A chat that is in the middle of a turn when what it did last is lost."""

    def __init__(self, fleet: Fleet, name: str) -> None:
        self._fleet = fleet
        self._gates = tuple(fleet.sim.gates[f"{name}-{place}"] for place in ("early", "late"))
        call = f'[[call:record_keyed {{"effect": "{name}"}}]]'
        self._text = f"[[gate:{name}-early]] {call} [[then]] [[gate:{name}-late]] [[say:over]]"
        self._chat = ""

    async def begins(self) -> None:
        self._chat = await self._fleet.asks(0, self._text)
        await self._gates[0].reached()

    async def goes_on(self) -> None:
        """The call is made, and the answer to it is under way."""
        await self._gates[0].set(open=True)
        await self._gates[1].reached()

    async def comes_to_its_end(self) -> None:
        await self._gates[1].set(open=True)
        rested = await self._fleet.comes_to_rest(0, self._chat)
        assert rested["status"] == "waiting"
        assert (await self._fleet.said(0, self._chat))[1:] == ["tool_call", "tool_result", "over"]


class Loss:
    """One chat, of which the database loses two messages that everybody had seen."""

    def __init__(self, pair: PostgresPair, pool: Pool, fleet: Fleet) -> None:
        self._pair = pair
        self._pool = pool
        self._fleet = fleet

    async def happens(self, client: Client, payment: Payment, turn: Turn, *, overtaken: bool, left: bool) -> None:
        """`left` says whether everybody leaves before it is lost, and comes again with the cursor of that time."""
        chat = await client.chats.create(KEPT)
        await chat.answer()
        async with AsyncExitStack() as stack:
            transcript = await stack.enter_async_context(following(chat))
            kept = await _history(self._pool, chat.id)
            await payment.is_due()
            await turn.begins()
            await self._pair.part()
            await payment.is_made()
            await turn.goes_on()
            await chat.send(LOST)
            await self._fleet.comes_to_rest(0, str(chat.id))
            lost = await _history(self._pool, chat.id)
            await seen(lambda: _shows(transcript, self._pool, chat.id))
            assert (len(kept), len(lost)) == (2, 4)
            cursor = (await self._fleet.at(0).get(f"/chats/{chat.id}/messages")).json["cursor"]
            made = await client.chats.create(LOST)
            await self._fleet.comes_to_rest(0, str(made.id))
            if left:
                await stack.aclose()
            await self._fails_over(chat, overtaken=overtaken)
            await turn.comes_to_its_end()
            await payment.is_asked_about()
            if not left:
                await seen(lambda: _shows(transcript, self._pool, chat.id))
            assert await self._begins_again(chat, cursor)
            assert (await self._fleet.at(0).get(f"/chats/{made.id}")).status == 404
        await self._pair.repair()

    async def _begins_again(self, chat: Chat, cursor: str) -> bool:
        """Whether somebody who comes with this cursor, which REST handed out, is told to forget what they have."""
        events = self._fleet.at(0).events(f"/chats/{chat.id}/stream?cursor={quote(cursor)}")
        async with asyncio.timeout(30), aclosing(events):
            first = await anext(events)
        return (first["type"], first.get("after")) == ("history_reset", 0)

    async def said(self, subjects: int) -> bool:
        """Whether the audit log names so many chats that went back."""
        found = await self._pool.fetchval(
            "SELECT count(DISTINCT subject) FROM audit WHERE action = 'database.lost_changes'"
        )
        return found == subjects

    async def _fails_over(self, chat: Chat, *, overtaken: bool) -> None:
        """The standby takes over without them, and in the end has as many messages, or more."""
        asked = len(self._fleet.sim.requests)
        await self._pair.switch(crash=True)
        for _ in range(2 if overtaken else 1):
            await seen(lambda: self._said(chat, AFTER))
            await self._fleet.comes_to_rest(0, str(chat.id))
        asked_since = [bytes(each.body).decode() for each in self._fleet.sim.requests[asked:]]
        # Words about a chat may have been asked for at the very moment when it was lost. Nothing comes of them.
        prompts = [prompt for prompt in asked_since if DESCRIBES not in prompt]
        assert prompts
        assert not [prompt for prompt in prompts if LOST in prompt]

    async def _said(self, chat: Chat, text: str) -> bool:
        try:
            await chat.send(text)
        except Exception:  # noqa: BLE001 - the database is away
            return False
        return True


@pytest.mark.timeout(0)
async def test_what_a_failover_lost_is_said_and_nobody_sees_two_pasts(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    rounds = max(2, int(str(request.config.getoption("--losses"))))
    async with postgres_pair(synchronous=False) as pair:
        await migrate_database(pair.url)
        async with AsyncExitStack() as stack:
            ledger = await stack.enter_async_context(Ledger(Random(17)).running())
            pool = await stack.enter_async_context(open_pool(pair.url))
            program = ("-m", MODULE, ledger.url)
            fleet = await stack.enter_async_context(
                open_fleet(pair.url, pool, tmp_path, count=2, first=program, others=program)
            )
            await fleet.ready()
            async with Client(fleet.replicas[0].url, token=fleet.person.token) as client:
                for number in range(rounds):
                    loss = Loss(pair, pool, fleet)
                    payment = Payment(fleet, ledger, f"payment-{number}")
                    turn = Turn(fleet, f"turn-{number}")
                    await loss.happens(client, payment, turn, overtaken=bool(number % 2), left=number % 4 < 2)
                    # Of all four chats, one of which is gone with all that was said in it.
                    await seen(partial(loss.said, 4 * (number + 1)))
            assert await _lost_of(fleet) >= 4 * rounds
