"""How long a chat stood still is read off what clients heard, and says what else went wrong meanwhile."""

from uuid import UUID, uuid4

import pytest

from perdure.proof.checked_transcript import CheckedTranscript
from perdure.proof.evidence import ChangeRow
from perdure.proof.run_log import Fault, RunLog
from perdure.proof.standstill import Standstill, standstills

CHAT, DEAD, HEIR = uuid4(), uuid4(), uuid4()
KILLED = 100.0


def _change(at: float, old_worker: UUID, worker: UUID) -> ChangeRow:
    return ChangeRow(
        chat_id=CHAT,
        at=at,
        writer="replica_1",
        snapshot=1,
        history=1,
        attempt=1,
        status="running",
        worker=worker,
        runner=None,
        old_history=1,
        old_attempt=1,
        old_status="running",
        old_worker=old_worker,
        old_runner=None,
        old_writer="replica_0",
        unseen=3.1,
        severed=False,
    )


def _found(heard: list[float], faults: list[Fault], changes: list[ChangeRow]) -> tuple[Standstill, ...]:
    log = RunLog(watched=[(CHAT, KILLED)], faults=faults)
    transcript = CheckedTranscript(CHAT, "somebody", log)
    transcript.heard_at = heard
    return standstills(log, [transcript], changes)


def test_it_lasts_from_the_kill_to_what_is_heard_after_it() -> None:
    changes = [_change(101.0, DEAD, DEAD), _change(103.0, DEAD, HEIR), _change(150.0, HEIR, DEAD)]
    (found,) = _found([99.0, 100.05, 103.5, 104.0], [], changes)
    assert (found.seconds, found.taken) == (3.5, 103.0)


def test_a_chat_that_nobody_heard_of_again_is_not_counted() -> None:
    assert _found([99.0], [], []) == ()


def test_an_end_without_a_taking_does_not_borrow_a_later_one() -> None:
    (found,) = _found([102.0], [], [_change(150.0, DEAD, HEIR)])
    assert found.taken is None
    assert "never taken" in str(found)


@pytest.mark.parametrize(("at", "words"), [(101.0, "beside crash postgres"), (99.9, "beside nothing else")])
def test_it_says_what_else_went_wrong_meanwhile(at: float, words: str) -> None:
    (found,) = _found([103.0], [Fault(at, "crash postgres"), Fault(103.1, "sleep", "replica_2")], [])
    assert words in str(found)
    assert "sleep" not in str(found)
