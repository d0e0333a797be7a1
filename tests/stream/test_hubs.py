"""Following a chat: what subscribers are told, in which order, and at what cost."""

import asyncio

import pytest
from tests.stream.watcher import Watcher, history

from perdure.core.action import ActionKind
from perdure.core.chat import Busy, Status
from perdure.core.errors import ChatNotFound
from perdure.core.failure import ChatError, ErrorKind, RetryState
from perdure.core.message import NewMessage, ProviderMetadata, Role, Text, ToolCall, Visibility
from perdure.machine.transitions import (
    CommitStep,
    EnterRequiresAction,
    FinishError,
    Interrupt,
    RecordRetryState,
    Transition,
)
from perdure.store.pool import Pool
from perdure.stream.hubs import Hubs
from perdure.stream.subscription import Ended
from perdure.testing.scripted import ScriptedChat, ScriptedChats, texts

FIRST = ["queue_update", "status", "error", "action_required", "retry", "chat"]


async def set_up(pool: Pool) -> tuple[ScriptedChats, Hubs]:
    scripted = await ScriptedChats.set_up(pool)
    hubs = Hubs(pool, scripted.episodes)
    hubs.listen(scripted.announcer, scripted.pubsub)
    return scripted, hubs


async def test_a_newcomer_gets_the_history_and_the_whole_state_in_order(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("hello")
    await chat.answer("hi")
    watcher = await Watcher(hubs, chat.id).look()
    assert watcher.kinds == ["message", "message", *FIRST]
    assert watcher.transcript.messages == await history(pool, chat.id)
    assert watcher.transcript.status is Status.WAITING


async def test_a_newcomer_gets_the_newest_fifty(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("0")
    for turn in range(30):
        await chat.answer()
        await chat.send(str(turn))
    watcher = await Watcher(hubs, chat.id).look()
    assert watcher.transcript.messages == (await history(pool, chat.id))[-50:]


async def test_a_followed_turn_costs_one_read_in_all(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("hello")
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        await chat.answer("hi there")
        await chat.send("and?")
        await chat.send("more")
        await chat.send("even more", Busy.STEER)
        await chat.answer("so")
        while watcher.transcript.messages != await history(pool, chat.id):
            await watcher.take(subscription)
    assert hubs.reads == 1
    fresh = await Watcher(hubs, chat.id).look()
    assert watcher.transcript.queue == fresh.transcript.queue
    assert watcher.transcript.card == fresh.transcript.card


async def test_what_a_commit_tells_is_what_a_read_would_tell(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("hello")
    watcher, reader = Watcher(hubs, chat.id, connections=[[]]), Watcher(Hubs(pool, scripted.episodes), chat.id)
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        call = ToolCall("c1", "clock", '{"zone":"utc"}', provider_metadata=ProviderMetadata("d", "m", {"x": 1}))
        hidden = NewMessage(role=Role.USER, parts=(Text("for models"),), visibility=Visibility.MODEL)
        await chat.attempt()
        await chat.follows(CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=(call,)), hidden)))
        await chat.send("queued")
        await watcher.take(subscription)
    await reader.look()
    mine, theirs = watcher.transcript, reader.transcript
    assert (mine.messages, mine.queue, mine.status) == (theirs.messages, theirs.queue, theirs.status)
    assert [message.role for message in mine.messages] == [Role.USER, Role.ASSISTANT]
    assert mine.messages[1].parts == (ToolCall("c1", "clock", '{"zone":"utc"}'),)


async def test_parts_come_as_they_are_made_and_the_answer_replaces_them(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        episode = await chat.attempt()
        signature = ProviderMetadata("d", "m", {"signature": "s"})
        episode.add(Role.ASSISTANT, texts("He", "llo"))
        await watcher.take(subscription)
        assert watcher.transcript.preview == (Role.ASSISTANT, (Text("Hello"),))
        await chat.commit(Text("Hello", signature))
        await watcher.take(subscription)
    assert watcher.transcript.preview is None
    assert watcher.transcript.messages[-1].parts == (Text("Hello"),)
    assert "preview_reset" not in watcher.kinds


async def test_a_second_attempt_resets_the_preview_and_tells_of_the_retry(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        (await chat.attempt()).add(Role.ASSISTANT, texts("wrong"))
        await watcher.take(subscription)
        at = chat.chat.updated_at
        assert at is not None
        retry = RetryState(1, 1000, "overloaded", ErrorKind.OVERLOADED, at)
        await chat.follows(RecordRetryState(retry))
        await watcher.take(subscription)
        assert watcher.transcript.retry == retry
        (await chat.attempt()).add(Role.ASSISTANT, texts("right"))
        await watcher.take(subscription)
    assert watcher.kinds[-3:] == ["retry", "preview_reset", "message_part"]
    assert watcher.transcript.preview == (Role.ASSISTANT, (Text("right"),))


async def test_an_edit_is_told_as_a_cut_and_the_rest_stays(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("one")
    await chat.answer("1")
    await chat.send("two")
    await chat.answer("2")
    watcher = await Watcher(hubs, chat.id).look()
    await chat.edit(3, "zwei")
    await chat.answer("2!")
    await watcher.look()
    assert watcher.kinds[:3] == ["history_reset", "message", "message"]
    assert watcher.transcript.messages == await history(pool, chat.id)
    await chat.send("three")
    await watcher.look()
    assert watcher.kinds == ["message", *FIRST]


async def test_a_cut_at_any_event_loses_nothing_and_repeats_no_message(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("one")
    await chat.answer("1")
    old = (await Watcher(hubs, chat.id).look()).transcript.cursor
    await chat.send("two")
    await chat.answer("2")
    await chat.edit(1, "uno")
    (await chat.attempt()).add(Role.ASSISTANT, texts("par", "tial"))
    whole = Watcher(hubs, chat.id)
    whole.transcript.cursor = old
    await whole.look()
    for length in range(1, len(whole.events) + 1):
        cut = Watcher(hubs, chat.id)
        for event in whole.events[:length]:
            cut.transcript.add(event)
        await cut.look()
        assert cut.transcript.messages == whole.transcript.messages
        assert cut.transcript.preview == whole.transcript.preview
        told = [event.cursor for event in cut.events if event in whole.events[:length] and "-" in event.cursor]
        assert told == []


async def test_a_cursor_that_the_database_never_reached_starts_again(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create("one")
    watcher = await Watcher(hubs, chat.id).look()
    await pool.execute("UPDATE chats SET snapshot_version = snapshot_version + 5")
    await chat.answer("lost in the crash")
    watcher.transcript.cursor = "99.1.98.1.7"
    await watcher.look()
    assert (watcher.kinds[0], watcher.kinds[-1]) == ("history_reset", "preview_reset")
    assert watcher.transcript.messages == await history(pool, chat.id)


async def test_a_parked_chat_says_what_it_asks_for(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        await chat.attempt()
        call = ToolCall("c1", "ask", '{"q":1}')
        step = CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=(call,)),))
        await chat.follows(step, EnterRequiresAction(ActionKind.APPROVAL, (0,)))
        await watcher.take(subscription)
    action = watcher.transcript.action
    assert action is not None
    assert [(pending.call_id, pending.args) for pending in action.calls] == [("c1", '{"q":1}')]
    assert (await Watcher(hubs, chat.id).look()).transcript.action == action


async def test_an_error_is_told_and_taken_back(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        await chat.follows(FinishError(ChatError("No key.", ErrorKind.MISSING_KEY)))
        await watcher.take(subscription)
        assert watcher.transcript.error == ChatError("No key.", ErrorKind.MISSING_KEY)
        await chat.send("again")
        await watcher.take(subscription)
    assert watcher.transcript.error is None


@pytest.mark.parametrize(
    ("change", "status"), [(FinishError(ChatError("away")), Status.ERROR), (Interrupt(), Status.INTERRUPTING)]
)
async def test_changes_from_elsewhere_are_found_by_hints_and_without_them(
    pool: Pool, change: Transition, status: Status
) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    elsewhere = ScriptedChats.beside(pool, scripted.organisation_id, scripted.user_id)
    deaf = Hubs(pool, scripted.episodes)
    hinted, polled = Watcher(hubs, chat.id, connections=[[]]), Watcher(deaf, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as first, deaf.follow(chat.id, None) as second:
        await hinted.take(first)
        await polled.take(second)
        committed = await elsewhere.machine.change(chat.id, change)
        scripted.announcer(committed)
        await deaf.once()
        await hinted.take(first)
        await polled.take(second)
    assert hinted.transcript.status is polled.transcript.status is status


async def test_the_end_of_a_turn_is_told_to_whoever_saw_nothing_of_the_turn(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    await chat.answer("hello")
    elsewhere = ScriptedChats.beside(pool, scripted.organisation_id, scripted.user_id)
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        told = len(watcher.kinds)
        other = ScriptedChat(elsewhere, await elsewhere.machine.load(chat.id))
        await other.send("again")
        await other.answer("hello again")
        await hubs.once()
        await watcher.take(subscription)
    assert watcher.transcript.status is Status.WAITING
    assert watcher.kinds[told:].count("status") == 1


async def test_a_new_title_reaches_subscribers(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription:
        await watcher.take(subscription)
        await pool.execute("UPDATE chat_cards SET title = 'New', metadata_version = metadata_version + 1")
        await hubs.once()
        await watcher.take(subscription)
    assert watcher.kinds[-1] == "chat"
    assert watcher.transcript.card is not None
    assert watcher.transcript.card.title == "New"


async def test_a_subscriber_that_stayed_away_finds_its_backlog_merged(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    watcher = Watcher(hubs, chat.id, connections=[[]])
    async with hubs.follow(chat.id, None) as subscription, hubs.follow(chat.id, None) as prompt:
        await watcher.take(subscription)
        await prompt.next()
        episode = await chat.attempt()
        for piece in "abc":
            episode.add(Role.ASSISTANT, texts(piece))
            await prompt.next()
        await watcher.take(subscription)
    (part,) = (event for event in watcher.events if event.__struct_config__.tag == "message_part")
    assert (part.cursor.rsplit(".", 1)[1], watcher.transcript.preview) == ("3~1", (Role.ASSISTANT, (Text("abc"),)))


async def test_all_subscribers_share_one_encoding(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    async with hubs.follow(chat.id, None) as first, hubs.follow(chat.id, None) as second:
        await asyncio.gather(first.next(), second.next())
        (await chat.attempt()).add(Role.ASSISTANT, texts("a"))
        one, other = await asyncio.gather(first.next(), second.next())
    assert one.json[0] is other.json[0]


async def test_many_who_come_at_once_share_one_read(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    await asyncio.gather(*(Watcher(hubs, chat.id).look() for _ in range(100)))
    assert hubs.reads == 1


async def test_a_deleted_chat_ends_its_streams(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    async with hubs.follow(chat.id, None) as subscription:
        await subscription.next()
        await pool.execute("DELETE FROM chats")
        await hubs.once()
        with pytest.raises(Ended, match="gone"):
            await subscription.next()
    async with hubs.follow(chat.id, None) as late:
        with pytest.raises(ChatNotFound):
            await late.next()


async def test_a_database_that_went_back_sends_everyone_round_again(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    async with hubs.follow(chat.id, None) as subscription:
        await subscription.next()
        await chat.follows(FinishError(ChatError("away")))
        await subscription.next()
        await pool.execute("UPDATE chats SET snapshot_version = 1, history_version = 1, queue_version = 0")
        await hubs.once()
        with pytest.raises(Ended, match="reconnect"):
            await subscription.next()


async def test_a_replica_that_stops_asks_to_come_again(pool: Pool) -> None:
    scripted, hubs = await set_up(pool)
    chat = await scripted.create()
    async with hubs.follow(chat.id, None) as subscription:
        await subscription.next()
        hubs.end()
        with pytest.raises(Ended, match="reconnect"):
            await subscription.next()
