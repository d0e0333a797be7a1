"""Each rule of the chaos checker finds what it is for, and nothing in a run that is as it should be."""

from dataclasses import replace
from uuid import uuid4

import pytest

from perdure.core.message import Text, ToolCall, ToolResult
from perdure.proof.admission import admitted_in_order, removed_by_request, sent_once
from perdure.proof.checked_transcript import CheckedTranscript, counted
from perdure.proof.checker import (
    answered_once,
    astray,
    attempts_used_once,
    effects_once,
    fenced,
    numbered,
    partial_kept,
    rests,
    stored_whole,
    told_after_written,
    told_the_truth,
)
from perdure.proof.cluster import STUCK, Stray
from perdure.proof.evidence import ChangeRow, ChatRow, Evidence, MessageRow, QueuedRow, StoredRow
from perdure.proof.heeding import answers_its_question, moves_are_heeded
from perdure.proof.ledger import Performed
from perdure.proof.observations import Observations, Rule
from perdure.proof.run_log import ASLEEP, Asked, Fault, Moved, Operation, ReceivedMessage, RequestOutcome, RunLog
from perdure.sim.script import counting

CHAT, WORKER, RUNNER, OTHER = uuid4(), uuid4(), uuid4(), uuid4()


def _message(number: int, role: str, *parts: Text | ToolCall | ToolResult, client_id: str | None = None) -> MessageRow:
    return MessageRow(CHAT, number, number, role, "both", "ordinary", parts, client_id, None)


def _change(snapshot: int) -> ChangeRow:
    return ChangeRow(
        chat_id=CHAT,
        at=float(snapshot),
        writer="replica_0",
        snapshot=snapshot,
        history=snapshot,
        attempt=1,
        status="running",
        worker=WORKER,
        runner=RUNNER,
        old_history=snapshot - 1,
        old_attempt=1,
        old_status="running",
        old_worker=WORKER,
        old_runner=RUNNER,
        old_writer="replica_0",
        unseen=0.5,
        severed=False,
    )


MESSAGES = (
    _message(1, "user", Text("hello [[count:1]]"), client_id="m1"),
    _message(2, "assistant", Text("0.0 end"), ToolCall("c1", "record_once", "{}")),
    _message(3, "tool", ToolResult("c1", "record_once", "performed e1")),
)
CHATS = (ChatRow(CHAT, "waiting", (), False, False, False, 0, 4),)
EVIDENCE = Evidence(10.0, CHATS, MESSAGES, (), (_change(1), _change(2), _change(3)))
EFFECTS = (Performed(2.5, "e1", f"{CHAT}/2/0/0"),)
BOOK = RunLog(
    operations=[Operation(1.0, CHAT, "create", RequestOutcome.ACCEPTED, marker="m1")],
    told=[ReceivedMessage(2.1, CHAT, 2, 2)],
)
GOOD = Observations(BOOK, EVIDENCE, EFFECTS)


def _with(**changed: object) -> Observations:
    return replace(GOOD, evidence=replace(EVIDENCE, **changed))  # pyright: ignore[reportArgumentType]


def _after(verb: str, number: int, **changed: object) -> Observations:
    """What is left once somebody removed something."""
    removing = Operation(2.0, CHAT, verb, RequestOutcome.ACCEPTED, number=number)
    return replace(_with(**changed), log=RunLog(operations=[*BOOK.operations, removing]))


def _stopped(kept: str) -> Observations:
    """An answer of which seven characters were seen and stored, and so much was kept when it was stopped."""
    transcript = CheckedTranscript(CHAT, "somebody", RunLog())
    transcript.shown[2, 1] = [(99.0, 5, 7)]
    end = replace(_change(9), at=101.0, status="waiting", old_status="interrupting", old_history=2)
    answer = replace(_message(4, "assistant", Text(kept)), revision=9)
    stored = (StoredRow(CHAT, 2, 1, 1, 5, 99.0),)
    seen = replace(EVIDENCE, messages=(*MESSAGES, answer), changes=(end,), stored=stored)
    return Observations(RunLog(watched=[(CHAT, 100.0)]), seen, (), [transcript])


OLD = replace(_message(1, "user", Text("m1 [[count:5]]"), client_id="m1"), hidden_in=6)
NEW = _message(4, "user", Text("m2 [[count:7]]"), client_id="m2")


def _edited(*answer: Text | ToolCall | ToolResult) -> Observations:
    """A question, what was said to it, and the same question said differently, with an answer."""
    before = replace(_message(2, "assistant", Text(counting(0, 5))), hidden_in=6)
    return _with(messages=(OLD, before, NEW, _message(5, "assistant", *answer)))


def _moved(verb: str, *asked: Asked, ordered: float = 5.0, noticed: int = 6) -> Observations:
    """A chat that was stopped or edited at 6 and goes on at 9, while a commit of its runner stalled from 5.5 to 7."""
    status = "interrupting" if verb == "interrupt" else "running"
    changes = replace(_change(6), writer="replica_1", status=status), replace(_change(9), old_status=status)
    moved = Moved(
        chat_id=CHAT,
        member="replica_0",
        verb=verb,
        begun=5.5,
        accepted=6.2,
        noticed=noticed,
        released=7.0,
        asked=asked,
    )
    effects = (Performed(ordered + 0.1, "m1/0", f"{CHAT}/2/0/0", ordered),)
    seen = replace(EVIDENCE, messages=(OLD, replace(MESSAGES[1], hidden_in=6), NEW), changes=changes)
    return Observations(RunLog(moved=[moved]), seen, effects)


HIDDEN = (replace(MESSAGES[0], hidden_in=4), *MESSAGES[1:])
REMOVED = (QueuedRow(CHAT, 7, "m1", removed=True),)


BAD: list[tuple[Rule, Observations]] = [
    (sent_once, _with(messages=(*MESSAGES, _message(4, "user", Text("hello"), client_id="m1")))),
    (sent_once, _with(messages=MESSAGES[1:])),
    (removed_by_request, _after("edit", 1, messages=MESSAGES[1:])),
    (removed_by_request, _after("edit", 2, messages=HIDDEN)),
    (removed_by_request, _after("delete", 6, messages=MESSAGES[1:], queued=REMOVED)),
    (
        admitted_in_order,
        replace(
            GOOD,
            log=RunLog(
                operations=[Operation(1, CHAT, "send", RequestOutcome.ACCEPTED, m, busy="queue") for m in ("a", "b")]
            ),
            evidence=replace(
                EVIDENCE,
                messages=(
                    replace(_message(1, "user", client_id="a"), queued_as=2),
                    replace(_message(2, "user", client_id="b"), queued_as=1),
                ),
            ),
        ),
    ),
    (answered_once, _with(messages=MESSAGES[:2])),
    (answered_once, _with(messages=(*MESSAGES, _message(4, "tool", ToolResult("c1", "record_once", "again"))))),
    (effects_once, replace(GOOD, effects=EFFECTS * 2)),
    (effects_once, replace(GOOD, effects=())),
    (told_after_written, replace(GOOD, log=RunLog(told=[ReceivedMessage(1.9, CHAT, 2, 2)]))),
    (told_after_written, replace(GOOD, log=RunLog(told=[ReceivedMessage(2.1, CHAT, 9, 9)]))),
    (told_the_truth, replace(GOOD, transcripts=[CheckedTranscript(CHAT, "somebody", RunLog())])),
    (partial_kept, _stopped("0.0")),
    (stored_whole, _with(stored=(StoredRow(CHAT, 1, 1, 1, 4, 1.0), StoredRow(CHAT, 1, 1, 6, 9, 2.0)))),
    (rests, _with(chats=(replace(CHATS[0], status="running"),))),
    (rests, _with(chats=(replace(CHATS[0], queue=(1,)),))),
    (rests, _with(chats=(replace(CHATS[0], owned=True),))),
    (numbered, _with(chats=(replace(CHATS[0], next_message=5),))),
    (fenced, _with(changes=(_change(1), replace(_change(2), writer="replica_1"), _change(3)))),
    (fenced, _with(changes=(replace(_change(3), worker=OTHER, runner=OTHER),))),
    (attempts_used_once, _with(changes=(_change(1), replace(_change(2), old_runner=OTHER)))),
    (answers_its_question, _edited(Text(counting(0, 5)))),
    (answers_its_question, _edited(Text(counting(0, 7)), ToolCall("c2", "record_once", '{"effect": "m1/0"}'))),
    (moves_are_heeded, _moved("interrupt", Asked(7.1, "m1 [[count:5]]"))),
    (moves_are_heeded, _moved("interrupt", ordered=7.1)),
    (moves_are_heeded, _moved("edit", Asked(7.1, "m1 [[count:5]]"))),
    (moves_are_heeded, _moved("edit", ordered=30.0)),
]


def test_a_replica_that_lost_its_lease_may_take_its_own_chat_again() -> None:
    assert not tuple(fenced(_with(changes=(replace(_change(3), worker=OTHER),))))


@pytest.mark.parametrize("rule", dict.fromkeys(rule for rule, _ in BAD), ids=lambda rule: rule.__name__)
def test_a_good_run_breaks_no_rule(rule: Rule) -> None:
    assert list(rule(GOOD)) == []


@pytest.mark.parametrize(("rule", "run"), BAD, ids=lambda value: getattr(value, "__name__", ""))
def test_a_bad_run_breaks_its_rule(rule: Rule, run: Observations) -> None:
    assert [wrong.chat_id for wrong in rule(run)][:1] == [CHAT]


@pytest.mark.parametrize(
    ("rule", "run"),
    [
        (removed_by_request, _after("edit", 1, messages=HIDDEN)),
        (removed_by_request, _after("edit", 3, messages=MESSAGES[1:], queued=REMOVED)),
        (removed_by_request, _after("delete", 7, messages=MESSAGES[1:], queued=REMOVED)),
        (partial_kept, _stopped("0.0 0.1")),
        (answers_its_question, _edited(Text(counting(0, 7)), ToolCall("c2", "record_once", '{"effect": "m2/0"}'))),
        (moves_are_heeded, _moved("interrupt", Asked(6.9, "m1 [[count:5]]"), Asked(9.1, "m2 [[count:7]]"))),
        (moves_are_heeded, _moved("interrupt", ordered=6.9)),
        (moves_are_heeded, _moved("edit", Asked(7.1, "m2 [[count:7]]"))),
        (moves_are_heeded, _moved("edit", Asked(7.1, "m1 [[count:5]]"), noticed=5)),
    ],
)
def test_what_was_asked_for_breaks_no_rule(rule: Rule, run: Observations) -> None:
    assert list(rule(run)) == []


def test_every_beginning_of_a_count_is_right() -> None:
    text = counting(3, 120) + counting(3, 7)
    assert [counted(text[:length]) for length in range(len(text) + 1)] == [None] * (len(text) + 1)


@pytest.mark.parametrize(
    "text",
    [counting(0, 20)[4:], counting(0, 20)[:20] + counting(0, 20)[24:], counting(0, 5) + counting(1, 5), "hello"],
)
def test_a_hole_or_another_attempt_shows(text: str) -> None:
    assert counted(text) is not None


@pytest.mark.parametrize(
    ("slept", "found"),
    [
        (None, 1),
        (Fault(100.0, "sleep", "replica_0"), 0),
        (Fault(100.0, "sleep", "replica_1"), 1),
        (Fault(100.0 - (ASLEEP + STUCK).total_seconds(), "sleep", "replica_0"), 1),
    ],
)
def test_whoever_still_uses_a_server_that_takes_no_writes_is_found(slept: Fault | None, found: int) -> None:
    """But for a replica that slept until a moment ago."""
    log = RunLog(faults=[] if slept is None else [slept])
    run = replace(GOOD, log=log, strays=[Stray("replica_0", 101.0)])
    assert [wrong.rule for wrong in astray(run)] == [6] * found
