"""Watching lists and inboxes: every change once, also those made while nobody looked."""

import asyncio
from datetime import timedelta

import aiohttp
import pytest
from tests.stream.serving import OpenAccess, serving, until

from perdure.core.errors import InvalidInput
from perdure.core.events import InboxEvent, WatchEvent, WatchKind
from perdure.core.failure import ChatError
from perdure.core.ids import UserId
from perdure.core.timing import WATCH_MEMORY
from perdure.machine.transitions import FinishError, SetArchived
from perdure.store.pool import Pool
from perdure.stream.batches import Batch
from perdure.stream.endpoints import WatchStream
from perdure.stream.open_streams import OpenStreams
from perdure.stream.watch.feed import Feed, cursor_of, position_of
from perdure.stream.watch.watches import Watches
from perdure.testing.scripted import ScriptedChats


async def set_up(pool: Pool) -> tuple[ScriptedChats, Watches]:
    scripted = await ScriptedChats.set_up(pool)
    watches = Watches(pool, scripted.pubsub)
    watches.listen()
    return scripted, watches


async def told(watches: Watches, feed: Feed) -> list[WatchEvent]:
    """What came of everything so far."""
    await watches.once()
    return [event for event in (await _next(feed)).events if isinstance(event, WatchEvent)]


async def _next(feed: Feed) -> Batch:
    return await asyncio.wait_for(feed.next(), 30)


async def nothing(watches: Watches, feed: Feed) -> None:
    await watches.once()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(feed.next(), 0.01)


async def test_a_life_is_told_word_by_word(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    async with watches.follow(scripted.user_id, None) as feed:
        assert [event.type for event in await told(watches, feed)] == [WatchKind.WATCH_RESET]
        chat = await scripted.create()
        assert [event.type for event in await told(watches, feed)] == [WatchKind.CREATED]
        await chat.answer()
        kinds = [event.type for event in await told(watches, feed)]
        assert kinds == [WatchKind.STATUS_CHANGE, WatchKind.READ_CHANGE]
        await chat.follows(SetArchived(True))
        (archived,) = await told(watches, feed)
        assert (archived.type, archived.chat_id) == (WatchKind.ARCHIVED, chat.id)
        assert archived.chat is not None
        assert archived.chat.archived


async def test_changes_that_no_hint_told_of_are_found_by_the_poll(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    chat = await scripted.create()
    async with watches.follow(scripted.user_id, None) as feed:
        await told(watches, feed)
        await pool.execute("UPDATE chat_cards SET title = 'New', metadata_version = metadata_version + 1")
        watches._missed = True  # pyright: ignore[reportPrivateUsage]
        (event,) = await told(watches, feed)
    assert (event.chat_id, event.chat and event.chat.title) == (chat.id, "New")


async def test_who_comes_back_gets_each_changed_chat_once_as_it_is_now(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    quiet, busy = await scripted.create(), await scripted.create()
    await pool.execute("UPDATE chats SET updated_at = now() - interval '1 minute' WHERE id = $1", quiet.id)
    await pool.execute(
        "UPDATE chat_cards SET updated_at = now() - interval '1 minute', changed_at = now() - interval '1 minute'"
    )
    async with watches.follow(scripted.user_id, None) as feed:
        cursor = (await told(watches, feed))[-1].cursor
    await busy.answer("one")
    await busy.send("two")
    await busy.follows(FinishError(ChatError("no")))
    async with watches.follow(scripted.user_id, position_of(cursor)) as feed:
        (event,) = await told(watches, feed)
        await nothing(watches, feed)
    assert (event.chat_id, event.chat and event.chat.status) == (busy.id, "error")


async def test_a_name_that_changed_meanwhile_is_told_although_the_list_does_not_move(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    chat = await scripted.create()
    await pool.execute("UPDATE chats SET updated_at = now() - interval '1 minute'")
    await pool.execute("UPDATE chat_cards SET updated_at = now() - interval '1 minute'")
    before = await pool.fetchval("SELECT now()")
    await pool.execute("UPDATE chat_cards SET title = 'New', metadata_version = metadata_version + 1")
    async with watches.follow(scripted.user_id, before) as feed:
        (event,) = await told(watches, feed)
    assert event.chat_id == chat.id


async def test_a_cursor_older_than_a_day_starts_again(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    old = await pool.fetchval("SELECT now()") - WATCH_MEMORY - timedelta(seconds=1)
    async with watches.follow(scripted.user_id, old) as feed:
        assert [event.type for event in await told(watches, feed)] == [WatchKind.WATCH_RESET]


async def _friend(pool: Pool, scripted: ScriptedChats) -> UserId:
    return await pool.fetchval(
        "INSERT INTO users (organisation_id, email) VALUES ($1, 'friend@example.com') RETURNING id",
        scripted.organisation_id,
    )


async def test_a_shared_chat_is_told_to_those_it_is_shared_with_until_it_is_not(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    chat, other = await scripted.create(), await scripted.create()
    friend = await _friend(pool, scripted)
    async with watches.follow(friend, None) as feed:
        await told(watches, feed)
        await pool.execute("INSERT INTO chat_shares (chat_id, user_id) VALUES ($1, $2)", chat.id, friend)
        await other.answer()
        await chat.answer()
        assert [event.chat_id for event in await told(watches, feed)] == [chat.id]
        await pool.execute("DELETE FROM chat_shares")
        await chat.send("secret")
        (lost,) = await told(watches, feed)
        assert (lost.type, lost.chat_id, lost.chat) == (WatchKind.DELETED, chat.id, None)
        await chat.answer()
        await nothing(watches, feed)
    async with watches.follow(friend, position_of(lost.cursor)) as feed:
        assert [event.type for event in await told(watches, feed)] == [WatchKind.DELETED]


async def test_members_of_a_group_see_and_lose_what_is_shared_with_it(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    before = await pool.fetchval("SELECT now()")
    chat, friend = await scripted.create(), await _friend(pool, scripted)
    group = await pool.fetchval(
        "INSERT INTO groups (organisation_id, name) VALUES ($1, 'friends') RETURNING id", scripted.organisation_id
    )
    await pool.execute("INSERT INTO group_members (group_id, user_id) VALUES ($1, $2)", group, friend)
    await pool.execute("INSERT INTO chat_shares (chat_id, group_id) VALUES ($1, $2)", chat.id, group)
    async with watches.follow(friend, before) as feed:
        assert [event.chat_id for event in await told(watches, feed)] == [chat.id]
        await pool.execute("DELETE FROM group_members")
        await chat.answer()
        assert [event.type for event in await told(watches, feed)] == [WatchKind.DELETED]


async def test_a_deleted_chat_is_told_to_its_owner(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    chat = await scripted.create()
    before = await pool.fetchval("SELECT now()")
    await pool.execute("DELETE FROM chats")
    async with watches.follow(scripted.user_id, before) as feed:
        (event,) = await told(watches, feed)
    assert (event.type, event.chat_id) == (WatchKind.DELETED, chat.id)


async def test_a_cursor_is_a_moment_and_nothing_else(pool: Pool) -> None:
    now = await pool.fetchval("SELECT now()")
    assert position_of(cursor_of(now)) == now
    for text in ("", "x", "-1", "1.5", "9" * 18):
        with pytest.raises(InvalidInput):
            position_of(text)


async def test_the_inbox_says_how_much_is_unread_and_each_entry_once(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    chat = await scripted.create()
    async with watches.follow_inbox(scripted.user_id, None) as feed:
        assert [(event.unread, event.entry) for event in await mail(watches, feed)] == [(0, None)]
        await chat.answer()
        (finished,) = await mail(watches, feed)
        assert finished.entry is not None
        assert (finished.unread, finished.entry.kind, finished.entry.chat_id) == (1, "finished", chat.id)
        await nothing(watches, feed)
        await pool.execute("UPDATE inbox SET read_at = now()")
        await chat.send("more")
        assert [event.unread for event in await mail(watches, feed)] == [0]
    async with watches.follow_inbox(scripted.user_id, position_of(finished.cursor)) as feed:
        first, again = await mail(watches, feed)
    assert (first.entry, again.entry and again.entry.id) == (None, finished.entry.id)


async def mail(watches: Watches, feed: Feed) -> list[InboxEvent]:
    await watches.once()
    return [event for event in (await _next(feed)).events if isinstance(event, InboxEvent)]


async def test_a_cursor_from_a_future_that_the_database_lost_starts_again(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    ahead = await pool.fetchval("SELECT now()") + timedelta(hours=1)
    async with watches.follow(scripted.user_id, ahead) as feed:
        assert [event.type for event in await told(watches, feed)] == [WatchKind.WATCH_RESET]


async def test_who_comes_back_to_nothing_new_is_let_in_at_once_and_seen_to_leave(pool: Pool) -> None:
    scripted, watches = await set_up(pool)
    access = OpenAccess(scripted)
    open_streams = OpenStreams(access)
    cursor = {"cursor": cursor_of(await pool.fetchval("SELECT now()"))}
    stream = WatchStream(watches.follow, open_streams, access)
    async with serving(stream) as url, aiohttp.ClientSession() as session, asyncio.timeout(30):
        async with session.ws_connect(url, params=cursor):
            await until(lambda: len(open_streams) == 1)
        await until(lambda: len(open_streams) == 0)
        async with session.get(url, params=cursor) as answer:
            assert answer.status == 200
            await until(lambda: len(open_streams) == 1)
        await until(lambda: len(open_streams) == 0)


@pytest.mark.parametrize("chosen", ["pin = 1", 'labels = \'{"team": "docs"}\'', "model = 'other'", "plan_mode = true"])
async def test_what_people_choose_for_a_chat_is_told_whenever_it_changes(pool: Pool, chosen: str) -> None:
    scripted, watches = await set_up(pool)
    async with watches.follow(scripted.user_id, None) as feed:
        chat = await scripted.create()
        assert [event.type for event in await told(watches, feed)][-1] is WatchKind.CREATED
        await pool.execute(f"UPDATE chat_cards SET {chosen}, metadata_version = metadata_version + 1")  # noqa: S608
        watches._missed = True  # pyright: ignore[reportPrivateUsage]
        (event,) = await told(watches, feed)
    assert (event.type, event.chat_id) == (WatchKind.SUMMARY_CHANGE, chat.id)
