"""Debug runs: what is kept of calls to models, and what never is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from perdure.observe.calls import Ended, Sent
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import seen
from perdure.testing.replica import InProcessReplica
from perdure.worker.recorder import WAITING, RecordedCall, Recorder

CANARY = "canary-4f1d9e7c2b"


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


async def switched_on(fleet: Fleet) -> None:
    said = await fleet.at(0).put("/settings/debug_runs", {"value": {"enabled": True}})
    assert said.status == 200, said.body
    provider = (await fleet.person.get("/providers")).json["items"][0]["id"]
    assert (await fleet.person.post(f"/providers/{provider}/keys", {"key": CANARY})).status in (200, 201, 204)


async def runs_of(fleet: Fleet, chat: str, count: int) -> list[dict[str, Any]]:
    """The debug runs, once there are so many: they are written behind the turn's back."""

    async def written() -> list[dict[str, Any]] | None:
        said = await fleet.at(0).get(f"/chats/{chat}/debug")
        assert said.status == 200, said.body
        items = [run for run in said.json["items"] if run["purpose"] == "answer"]
        return items if len(items) >= count else None

    return await seen(written) or []


async def test_nothing_is_kept_unless_it_is_switched_on(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:3 tokens]]")
    await fleet.comes_to_rest(0, chat)
    assert (await fleet.at(0).get(f"/chats/{chat}/debug")).json == {"items": []}
    assert await fleet.pool.fetchval("SELECT count(*) FROM debug_runs") == 0


async def test_what_cannot_be_kept_is_counted(replica: InProcessReplica) -> None:
    recorder = Recorder(replica.pool, replica.config, replica.clock, replica.measures.calls)
    sent = Sent(
        provider="Simulator",
        model="demo",
        dialect="gemini",
        vendor="somebody",
        method="POST",
        url="http://sim",
        headers={},
        body=b"{}",
    )
    call = RecordedCall(recorder, replica.clock, sent, {"chat": str(uuid4())}, timedelta(hours=1))
    for _ in range(WAITING + 2):
        call.ended(Ended(outcome="ok"))
    assert replica.numbers("perdure_debug_runs_lost_total") == 2
    # Nor can those be that wait, where the database refuses them.
    await replica.pool.execute("DROP TABLE debug_runs")
    writing = asyncio.ensure_future(recorder.run())

    async def lost() -> bool:
        return replica.numbers("perdure_debug_runs_lost_total") > 2

    await seen(lost)
    writing.cancel()
    await asyncio.wait({writing})


async def test_every_attempt_is_kept_with_what_was_sent_and_what_came(fleet: Fleet) -> None:
    await switched_on(fleet)
    chat = await fleet.asks(0, "[[fault:overloaded x1]] [[say:3 tokens]] [[gate:later]]")
    await fleet.sim.gates["later"].set(open=True)
    await fleet.comes_to_rest(0, chat)
    second, first = await runs_of(fleet, chat, 2)
    assert (first["outcome"], first["status"], first["attempt"]) == ("overloaded", 529, 1)
    assert (second["outcome"], second["attempt"], second["turn"]) == ("ok", 2, 1)
    assert second["request"]["body"]["messages"][0]["content"][0]["text"].startswith("[[fault:overloaded x1]]")
    assert "message_stop" in str(second["response"])
    assert "overloaded_error" in str(first["response"])
    assert first["blocks"]["kept"] == 0
    assert second["blocks"]["kept"] == second["blocks"]["count"] == first["blocks"]["count"] > 0
    assert second["usage"]


async def test_a_key_is_found_nowhere_after_a_full_run(fleet: Fleet) -> None:
    await switched_on(fleet)
    chat = await fleet.asks(0, "[[fault:auth]]")
    other = await fleet.asks(0, "[[say:3 tokens]]")
    await fleet.comes_to_rest(0, chat)
    await fleet.comes_to_rest(0, other)
    await runs_of(fleet, chat, 1)
    await runs_of(fleet, other, 1)
    for path in (f"/chats/{chat}", f"/chats/{chat}/debug", f"/chats/{other}/debug", f"/chats/{other}/messages"):
        assert CANARY not in (await fleet.at(0).get(path)).body.decode()
    async with aclosing(fleet.at(0).events(f"/chats/{chat}/stream")) as events:
        assert CANARY not in str(await anext(events))
    tables = [
        row["name"]
        for row in await fleet.pool.fetch(
            "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'"
        )
    ]
    for table in tables:
        rows = await fleet.pool.fetch(f"SELECT {table}::text AS row FROM {table}")  # noqa: S608
        assert not [row for row in rows if CANARY in row["row"] or CANARY.encode().hex() in row["row"]], table
    assert CANARY not in fleet.replicas[0].log.read_text()
