"""Segments: what is stored of an episode, how it is found again, when it goes."""

import pytest

from perdure.core.deltas import TextDelta
from perdure.core.errors import DatabaseFault
from perdure.core.message import ProviderMetadata, Role
from perdure.core.timing import CLOSED_EPISODE_KEPT
from perdure.live.episodes import EpisodeKey, Piece
from perdure.live.segments import Segments
from perdure.store import segments as store
from perdure.store.pool import Pool
from perdure.testing.scripted import ScriptedChat, ScriptedChats, texts

SIGNED = TextDelta(0, "\x00\ud800!", ProviderMetadata("d", "m", {"signature": "s"}))


async def rows(pool: Pool) -> list[tuple[int, int]]:
    found = await pool.fetch("SELECT seq_from, seq_to FROM segments ORDER BY chat_id, history_version, seq_from")
    return [(row["seq_from"], row["seq_to"]) for row in found]


async def test_every_round_stores_what_is_new_and_the_prefix_is_found_again(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    episode = await chat.attempt()
    segments = Segments(pool, scripted.episodes)
    episode.add(Role.ASSISTANT, texts("a", "b"))
    await segments.once()
    await segments.once()
    episode.add(Role.ASSISTANT, [SIGNED])
    await segments.once()
    assert await rows(pool) == [(1, 2), (3, 3)]
    loaded = await Segments(pool, scripted.episodes).load(chat.key)
    signed = TextDelta(0, "\x00\ufffd!", SIGNED.provider_metadata)
    assert loaded == [*episode.parts_since(0)[:2], Piece(Role.ASSISTANT, signed)]
    assert await segments.load(chat.key, after=1) == loaded[1:]


async def test_rows_go_when_the_step_is_committed_and_not_before(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    episode = await chat.attempt()
    segments = Segments(pool, scripted.episodes)
    episode.add(Role.ASSISTANT, texts("a"))
    await segments.once()
    scripted.episodes.close(chat.key)
    await segments.once()
    assert await rows(pool) == [(1, 1)]
    await chat.commit()
    await segments.once()
    assert await rows(pool) == []


async def test_an_episode_that_ended_between_two_rounds_leaves_nothing(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    segments = Segments(pool, scripted.episodes)
    await chat.answer()
    await segments.once()
    assert await rows(pool) == []


async def test_a_shutdown_stores_everything_and_drops_nothing(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    segments = Segments(pool, scripted.episodes)
    (await chat.attempt()).add(Role.ASSISTANT, texts("a", "b"))
    scripted.episodes.close(chat.key)
    await segments.flush()
    assert await rows(pool) == [(1, 2)]


async def test_a_gap_ends_the_prefix(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    name = (chat.id, 1, 1)
    content = '[["assistant",{"type":"text","index":0,"text":"a"}]]'
    await store.write(pool, [store.Segment(name, 1, 1, content), store.Segment(name, 3, 3, content)], [])
    assert await Segments(pool, scripted.episodes).load(EpisodeKey(*name)) == [Piece(Role.ASSISTANT, TextDelta(0, "a"))]


async def test_a_write_that_is_repeated_longer_replaces_the_shorter_one(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    name = (chat.id, 1, 1)
    for end, content in ((2, "long"), (1, "short"), (3, "longest")):
        await store.write(pool, [store.Segment(name, 1, end, content)], [])
    assert [segment.content for segment in await store.load(pool, name)] == ["longest"]


async def test_the_sweep_takes_what_history_has_passed(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    running, done = await scripted.create(), await scripted.create()
    for chat in (running, done):
        await _begun(chat)
    await Segments(pool, scripted.episodes).flush()
    await done.commit()
    await pool.execute("UPDATE segments SET created_at = now() - interval '1 hour'")
    assert await store.sweep(pool, CLOSED_EPISODE_KEPT) == 1
    assert await pool.fetchval("SELECT chat_id FROM segments") == running.id


async def _begun(chat: ScriptedChat) -> None:
    (await chat.attempt()).add(Role.ASSISTANT, texts("a"))


async def test_a_database_that_is_away_costs_nothing_but_time(pool: Pool) -> None:
    scripted = await ScriptedChats.set_up(pool)
    chat = await scripted.create()
    segments = Segments(pool, scripted.episodes)
    await _begun(chat)
    await pool.execute("ALTER TABLE segments RENAME TO elsewhere")
    with pytest.raises(DatabaseFault):
        await segments.once()
    await pool.execute("ALTER TABLE elsewhere RENAME TO segments")
    await segments.once()
    assert await rows(pool) == [(1, 1)]
