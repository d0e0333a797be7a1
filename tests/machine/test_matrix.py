"""Every transition from every state, allowed and refused, on a real database: the data, the page and the code agree."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import msgspec
import pytest
from msgspec.structs import asdict, replace
from tests.machine.cells import A_MOMENT, CELLS, MARKED_AT, OLD_OWNER, RETRYING, WRITER, Cell, Edited, V
from tests.machine.place import Place

from perdure.core.action import ActionKind
from perdure.core.chat import AT_REST, Busy, Chat, QueueEntry, State
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, InvalidState, PerdureError, TransitionNotAllowed
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber
from perdure.core.message import NewMessage, Role, Text, ToolResult
from perdure.machine.diagram import DIAGRAM
from perdure.machine.transitions import Create, EditMessage, SendMessage, Sharing, Target, Transition
from perdure.store.rows import parts_of
from perdure.testing.chats import FAILURE, READ, WAIT, WRITE, Chats, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

DATA: Any = json.loads(Path(__file__).with_name("transitions.json").read_text(encoding="utf8"))

Arrow = tuple[str, str, str]

# What came to the data since, each with why.
ADDED: dict[Arrow, str] = {
    ("TakeIn", "W", "W"): "messages of another program come into a chat at rest",
    ("Create", "N", "W"): "a fork without new content rests",
    ("Retry", "E0", "R0"): "a chat that stopped is tried again",
    ("Retry", "E1", "R1"): "a chat that stopped is tried again",
    ("CommitStep", "R1", "R0"): "a step delivers the last steer message",
    ("SendMessage", "A0", "R0"): "steer while parked on children",
    ("Interrupt", "A0", "I0"): "Stop means stop, but for client tools",
    ("Interrupt", "A1", "I1"): "Stop means stop, but for client tools",
    ("Retry", "R0", "R0"): "a countdown has Retry now",
    ("Retry", "R1", "R1"): "a countdown has Retry now",
    ("CompleteRequiresAction", "A0", "A0"): "calls are decided one by one",
    ("CompleteRequiresAction", "A1", "A1"): "calls are decided one by one",
    ("PromoteQueuedMessage", "R1", "R1"): "the turn that it names is over",
    ("PromoteQueuedMessage", "A1", "A1"): "the turn that it names is over",
    **{
        (name, state, state): "both move the queue's version only"
        for name in ("EditQueuedMessage", "ReorderQueue")
        for state in ("E1", "R1", "I1", "A1")
    },
    **{("EditMessage", state, "R1"): "an edit keeps what others have queued" for state in ("E1", "R1", "I1", "A1")},
}

ERRORS: dict[str, type[PerdureError]] = {
    "chat_not_found": ChatNotFound,
    "transition_not_allowed": TransitionNotAllowed,
    "invalid_state": InvalidState,
    "not_applicable": TransitionNotAllowed,
}


def arrows_of_the_data() -> set[Arrow]:
    return {
        (entry["transition"], state, outcome["to"])
        for entry in DATA["transitions"]
        for state, cell in entry["from"].items()
        if cell["result"] == "allowed"
        for outcome in cell["outcomes"]
    }


def error_of_the_data(name: str, state: State) -> type[PerdureError]:
    for entry in DATA["transitions"]:
        if entry["transition"] == name:
            return ERRORS[entry["from"][state.value]["error"]]
    # The page's own transitions are refused as the data's are.
    return {State.N: ChatNotFound, State.INVALID: InvalidState}.get(state, TransitionNotAllowed)


async def test_the_data_and_the_page_have_every_arrow_of_the_diagram_and_no_other() -> None:
    drawn = {
        (transition.__name__, state.value, landing.value)
        for state, arrows in DIAGRAM.items()
        for transition, landings in arrows.items()
        for landing in landings
    }
    assert not ADDED.keys() & arrows_of_the_data()
    assert drawn == arrows_of_the_data() | ADDED.keys()


async def test_every_arrow_has_a_cell() -> None:
    tried = {(cell.name, cell.of.value, cell.to.value) for cell in CELLS}
    assert tried | {("Create", "N", "R0"), ("Create", "N", "W")} == arrows_of_the_data() | ADDED.keys()


# Making the chat that a cell starts from.


async def seeded(chats: Chats, cell: Cell) -> Chat:
    match cell.seed:
        case "children":
            return await chats.parked(WAIT, ActionKind.CHILDREN, queued=cell.queued)
        case "approval":
            return await chats.parked(READ, ActionKind.APPROVAL, queued=cell.queued)
        case "approvals":
            return await chats.parked(READ, ActionKind.APPROVAL, WRITE, queued=cell.queued)
        case "quiet":
            return await chats.quiet(cell.of)
        case "steered":
            chat = await chats.in_state(State.R0)
            return await chats.after(chat, [SendMessage(said("steer", chats.user_id), Busy.STEER)])
        case _:
            return await chats.in_state(valid(cell), queued=cell.queued)


def valid(cell: Cell) -> State:
    """The state to make by arrows; an invalid one is then made of it by force."""
    if cell.of is State.INVALID:
        return State.R1 if cell.queued else State.R0
    return cell.of


ENRICH = """
UPDATE chats SET compaction_requested_at = $2, budget_declined = true, budget_reserved = 7, generation_attempt = 3,
    retry_state = $3, retry_version = snapshot_version, last_error = $4, worker_id = $5, runner_id = $6,
    archived = archived OR $7
WHERE id = $1
"""


async def begun(place: Place, cell: Cell) -> Chat:
    """The cell's chat, with everything on its row that a change might keep or clear."""
    chat = await seeded(place.chats, cell)
    owner = (OLD_OWNER.worker_id, OLD_OWNER.runner_id) if cell.owned else (None, None)
    retry, error = msgspec.json.encode(RETRYING).decode(), msgspec.json.encode(FAILURE).decode()
    await place.pool.execute(ENRICH, chat.id, MARKED_AT, retry, error, *owner, cell.of is State.INVALID)
    await place.pool.execute("UPDATE chat_cards SET pin = 3, turns = 0, turn_label = 'said' WHERE id = $1", chat.id)
    await place.pool.execute("DELETE FROM inbox WHERE chat_id = $1", chat.id)
    # The machine remembers the row as it left it.
    place.machine = place.another_machine()
    return await place.machine.load(chat.id)


def place_of(state: State, shared: Place, lawless: Place) -> Place:
    return lawless if state is State.INVALID else shared


# Following one arrow, and reading what it wrote.


async def follow(place: Place, chat_id: ChatId, transition: Transition | Edited) -> Commit:
    if isinstance(transition, Create):
        return await place.machine.create(chat_id, place.chats.card(), [transition])
    if not isinstance(transition, Edited):
        return await place.machine.change(chat_id, transition)
    message = NewMessage(role=Role.USER, parts=(Text(transition.text),))

    def bundle(target: Target) -> list[Transition]:
        shared = Sharing(target.versions) if transition.among_others else None
        return [EditMessage(target, message, shared=shared)]

    return await place.machine.edit(chat_id, MessageNumber(1), lambda target: lambda _: bundle(target))


def described(row: Any) -> str:
    (part,) = parts_of(row["parts"])
    text = f"queued as {row['queued_as']}" if row["queued_as"] else ""
    match part:
        case ToolResult(call_id=call_id, result=result, is_error=is_error):
            return f"tool {call_id} {'error ' if is_error else ''}{result}"
        case Text(text=said):
            return f"{row['role']} {said} {text}".strip()
        case _:
            return repr(part)


def expected(before: Chat, cell: Cell) -> Chat:
    version = before.snapshot_version + 1
    columns = {name: version if value is V else value for name, value in cell.columns.items()}
    if "queue" in columns:
        numbers = cast("tuple[int, ...]", columns["queue"])
        columns["queue"] = tuple(QueueEntry(QueuedNumber(abs(n)), n < 0) for n in numbers)
    return replace(before, snapshot_version=version, **columns)


def differences(chat: Chat, wanted: Chat) -> dict[str, tuple[object, object]]:
    """The columns that are not as wanted. Names and moments that only the database knows are compared by kind."""
    found = {
        name: (value, asdict(wanted)[name]) for name, value in asdict(chat).items() if value != asdict(wanted)[name]
    }
    return {
        name: pair
        for name, pair in found.items()
        if name not in ("change_id", "updated_at", "turn_began_at", "asked_by")
        and not (pair[1] is A_MOMENT and isinstance(pair[0], datetime))
    }


def identity(cell: Cell) -> str:
    busy = f"-{cell.by.busy}" if isinstance(cell.by, SendMessage) else ""
    return f"{cell.name}{busy}-{cell.of.value}-{cell.to.value}-{cell.seed}{len(cell.queued)}"


@pytest.mark.parametrize("cell", CELLS, ids=identity)
async def test_an_allowed_arrow_lands_and_writes_what_the_table_says(
    cell: Cell, shared_place: Place, lawless_place: Place
) -> None:
    place = place_of(cell.of, shared_place, lawless_place)
    before = await begun(place, cell)
    assert before.state is cell.of
    place.announced.clear()
    committed = await follow(place, before.id, cell.by)
    after = await place.machine.load(before.id)
    assert (after.state, differences(after, expected(before, cell))) == (cell.to, {})
    assert differences(committed.chat, after) == {}
    began = after.status not in AT_REST and (before.status in AT_REST or before.turn != after.turn)
    assert committed.chat.turn_began_at == after.turn_began_at
    assert committed.chat.asked_by == after.asked_by
    assert after.turn_began_at == (after.updated_at if began else before.turn_began_at)
    assert [c.chat.snapshot_version for c in place.announced] == [before.snapshot_version + 1]
    await check_rows(place, cell, before, committed)
    await check_card(place, cell, before)


async def check_rows(place: Place, cell: Cell, before: Chat, committed: Commit) -> None:
    version = before.snapshot_version + 1
    messages = await place.pool.fetch("SELECT * FROM messages WHERE chat_id = $1 ORDER BY number", before.id)
    added = [row for row in messages if row["number"] >= before.next_message]
    assert [described(row) for row in added] == list(cell.rows)
    assert [row["number"] for row in messages] == list(range(1, before.next_message + len(cell.rows)))
    assert {row["revision"] for row in added} <= {version}
    said = [row["created_by"] for row in added if row["role"] == "user" and row["kind"] == "ordinary"]
    assert committed.chat.asked_by == (said[-1] if said else before.asked_by)
    assert {row["change_id"] for row in added if row["queued_as"] is None} <= {committed.change_id}
    assert [row["number"] for row in messages if row["hidden_in"] == version] == list(cell.hidden)
    gone = await place.pool.fetch(
        "SELECT number FROM queued_messages WHERE chat_id=$1 AND removed_in=$2", before.id, version
    )
    assert sorted(row["number"] for row in gone) == list(cell.left_queue)
    waiting = await place.pool.fetch(
        "SELECT number FROM queued_messages WHERE chat_id=$1 AND removed_in IS NULL", before.id
    )
    assert {row["number"] for row in waiting} == {entry.number for entry in committed.chat.queue}


async def check_card(place: Place, cell: Cell, before: Chat) -> None:
    card = await place.pool.fetchrow("SELECT turns, pin, turn_label FROM chat_cards WHERE id = $1", before.id)
    assert card is not None
    assert dict(card) == {"turns": 0, "pin": 3, "turn_label": "said", **cell.card}
    inbox = await place.pool.fetch("SELECT kind, snapshot_version FROM inbox WHERE chat_id = $1", before.id)
    wanted = [(cell.inbox, before.snapshot_version + 1)] if cell.inbox else []
    assert [tuple(row) for row in inbox] == wanted


def refused_cells() -> Iterator[tuple[Transition | Edited, State]]:
    """One of each transition from every state that has no such arrow."""
    examples = {cell.name: cell.by for cell in CELLS}
    for name, transition in examples.items():
        for state in State:
            if not any(cell.name == name and cell.of is state for cell in CELLS):
                yield transition, state
    for state in State:
        if state is not State.N:
            yield Create((said("hello", WRITER),)), state


@pytest.mark.parametrize(
    ("transition", "state"),
    list(refused_cells()),
    ids=lambda value: value.value if isinstance(value, State) else type(value).__name__,
)
async def test_a_refused_arrow_changes_nothing(
    transition: Transition | Edited, state: State, shared_place: Place, lawless_place: Place
) -> None:
    place = place_of(state, shared_place, lawless_place)
    name = "EditMessage" if isinstance(transition, Edited) else type(transition).__name__
    chat_id = ChatId(uuid4())
    if state is not State.N:
        chat_id = (await begun(place, Cell(by=transition, of=state, to=state, columns={}))).id
    before = await place.rows_of(chat_id)
    place.announced.clear()
    with pytest.raises(error_of_the_data(name, state)) as refusal:
        await follow(place, chat_id, transition)
    assert await place.rows_of(chat_id) == before
    assert place.announced == []
    if isinstance(refusal.value, TransitionNotAllowed):
        assert (refusal.value.transition, refusal.value.state) == (name, state.value)
