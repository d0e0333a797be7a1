"""Histories at hand: a busy chat is not read again from its beginning."""

from uuid import uuid4

from msgspec import structs

from perdure.agent.history import Histories, History, newest_user_message
from perdure.core.ids import MessageNumber, ModelName
from perdure.core.message import Kind, NewMessage, Role, Text
from perdure.core.timing import HISTORY_KEPT, SystemClock
from perdure.machine.machine import Bundle, Machine
from perdure.machine.transitions import CommitStep, EditMessage, FinishTurn, SendMessage, Target
from perdure.providers.estimate import estimate
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.testing.chats import Chats, answered, said


async def _chats(pool: Pool) -> Chats:
    organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('o') RETURNING id")
    user = await pool.fetchval(
        "INSERT INTO users (organisation_id, email) VALUES ($1, $2) RETURNING id",
        organisation,
        f"{uuid4()}@example.com",
    )
    return Chats(Machine(Execution(pool), lambda _: None), organisation_id=organisation, user_id=user)


async def test_reading_beside_a_turn_does_not_take_the_history_away(pool: Pool) -> None:
    chat = await (await _chats(pool)).at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    # Something that only memory can know: whoever gets it did not read everything again.
    marked = structs.replace(known.messages[0], number=MessageNumber(99), parts=(Text("from memory"),))
    histories.keep(known.with_messages([marked], known.version))
    first, second = await histories.at(chat), await histories.at(chat)
    assert [history.messages[-1].number for history in (first, second)] == [99, 99]


async def test_an_older_history_does_not_replace_a_newer_one(pool: Pool) -> None:
    chat = await (await _chats(pool)).at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    newer = structs.replace(known, version=known.version + 1)
    histories.keep(newer)
    histories.keep(known)
    ahead = structs.replace(chat, history_version=newer.version, snapshot_version=newer.version)
    assert (await histories.at(ahead)).version == newer.version


async def test_nothing_is_known_any_more_once_another_server_answers(pool: Pool) -> None:
    """It may have lost commits, and have others with the same versions."""
    chat = await (await _chats(pool)).at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    lost = structs.replace(known.messages[0], number=MessageNumber(99), parts=(Text("lost"),))
    histories.keep(known.with_messages([lost], known.version))
    histories.clear()
    assert histories.at_hand(chat) is None
    assert (await histories.at(chat)).messages == known.messages


async def test_what_a_message_makes_of_a_history_is_known_without_reading_it(pool: Pool) -> None:
    chats = await _chats(pool)
    chat = await chats.at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    histories.keep(known)
    more = NewMessage(role=Role.USER, parts=(Text("more"),), created_by=known.card.owner_id)
    committed = await chats.machine.change(chat.id, SendMessage(more))
    after = histories.after(committed, known.card)
    read = await Histories(pool).at(committed.chat)
    assert after is not None
    assert (after.card, after.version, after.messages) == (read.card, read.version, read.messages)
    assert after.view == read.view


async def test_a_history_that_moved_elsewhere_is_not_taken_for_the_one_at_hand(pool: Pool) -> None:
    chats = await _chats(pool)
    chat = await chats.at_rest()
    histories = Histories(pool)
    known = await histories.at(chat)
    histories.keep(structs.replace(known, version=known.version - 1))
    committed = await chats.machine.change(chat.id, SendMessage(NewMessage(role=Role.USER, parts=(Text("more"),))))
    assert histories.at_hand(chat) is None
    assert histories.after(committed, known.card) is None


async def test_an_edit_that_undoes_a_summary_brings_back_what_it_stood_for(pool: Pool) -> None:
    chats = await _chats(pool)
    chat = await chats.at_rest()
    for text in ("second", "third"):
        answer = CommitStep(messages=(answered(Text(f"on the {text}")),), continues=False)
        chat = await chats.after(chat, [SendMessage(said(text, chats.user_id)), answer, FinishTurn()])
    summary = NewMessage(role=Role.USER, parts=(Text("so far"),), kind=Kind.BOUNDARY, covers=MessageNumber(4))
    await chats.machine.change(chat.id, SendMessage(said("fourth", chats.user_id)))
    chat = (await chats.machine.change(chat.id, CommitStep(messages=(summary,)))).chat
    histories = Histories(pool)
    histories.keep(await histories.at(chat))

    def edited(target: Target) -> Bundle:
        return lambda _: (EditMessage(target, said("another second", chats.user_id)),)

    chat = (await chats.machine.edit(chat.id, MessageNumber(3), edited)).chat
    after, read = await histories.at(chat), await Histories(pool).at(chat)
    words = ["".join(part.text for part in m.parts if isinstance(part, Text)) for m in after.prompt()]
    assert words == ["hello", "hi", "another second"]
    assert (after.messages, after.view) == (read.messages, read.view)


def _summary(covers: int, text: str = "so far") -> NewMessage:
    return NewMessage(role=Role.USER, parts=(Text(text),), kind=Kind.BOUNDARY, covers=MessageNumber(covers))


async def test_whoever_reads_a_chat_anew_knows_its_turn_although_a_summary_covers_it(pool: Pool) -> None:
    chats = await _chats(pool)
    chat = await chats.at_rest()
    asked = structs.replace(said("second", chats.user_id), model=ModelName("chosen"))
    answer = CommitStep(messages=(answered(Text("on the second")),))
    steps = [SendMessage(asked), answer, CommitStep(messages=(_summary(4),))]
    chat = await chats.after(chat, steps)
    read = await Histories(pool).at(chat)
    assert [message.number for message in read.prompt()] == [5]
    assert [message.number for message in read.messages] == [3, 4, 5]
    assert (read.last, read.steps(chat.turn)) == (read.message(4), 1)
    question = newest_user_message(read)
    assert question is not None
    assert (question.number, question.model, chat.turn) == (3, "chosen", 3)


async def test_what_an_edit_hid_is_forgotten_although_a_newer_summary_covers_it(pool: Pool) -> None:
    chats = await _chats(pool)
    chat = await chats.at_rest()
    chat = await chats.after(chat, [SendMessage(said("second", chats.user_id))])
    histories = Histories(pool)
    histories.keep(await histories.at(chat))

    def edited(target: Target) -> Bundle:
        return lambda _: (EditMessage(target, said("another second", chats.user_id)),)

    await chats.machine.edit(chat.id, MessageNumber(3), edited)
    chat = await chats.after(chat, [CommitStep(messages=(_summary(4),))])
    after, read = await histories.at(chat), await Histories(pool).at(chat)
    assert [message.number for message in after.messages] == [1, 2, 4, 5]
    assert after.view.prompt == read.view.prompt


class StandingClock(SystemClock):
    """Time that passes when a test says so."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


async def test_a_history_that_nobody_looks_at_is_dropped_after_a_while(pool: Pool) -> None:
    chats, clock = await _chats(pool), StandingClock()
    busy, idle = await chats.at_rest(), await chats.at_rest()
    histories = Histories(pool, clock=clock)
    for chat in (busy, idle):
        histories.keep(await histories.at(chat))
    clock.seconds = HISTORY_KEPT.total_seconds() - 1
    assert histories.at_hand(busy) is not None
    clock.seconds += 2
    histories.tidy()
    assert histories.at_hand(idle) is None
    assert histories.at_hand(busy) is not None


async def test_a_digest_grows_to_what_it_would_be_at_once(pool: Pool) -> None:
    known = await Histories(pool).at(await (await _chats(pool)).at_rest())
    first = known.messages[0]
    more = [structs.replace(first, number=MessageNumber(100 + n), parts=(Text("x" * n),)) for n in range(5)]
    summary = structs.replace(first, number=MessageNumber(200), kind=Kind.BOUNDARY, covers=MessageNumber(101))
    grown = known
    for message in (*more, summary):
        grown = grown.with_messages([message], known.version)
    at_once = History.of(known.card, known.version, grown.messages)
    assert grown.view == at_once.view
    assert [message.number for message in grown.prompt()] == [200, 102, 103, 104]
    assert grown.view.tokens == estimate(grown.prompt())
