"""What a runner carries from one duty to the next."""

import pytest

from perdure.worker.outcomes import Carried, Committed, Failed, Interrupted, Outcome, Overflowed, Unanswered

BEFORE = Carried(owed=5, overloads=2, overflowed_at=7, calls_of=3)


@pytest.mark.parametrize(
    ("outcome", "after"),
    [
        (Committed(settled=True, calls_of=9), Carried(calls_of=9)),
        (Committed(), Carried(owed=5)),
        (Interrupted(4), Carried(owed=9, overloads=2, overflowed_at=7, calls_of=3)),
        (Overflowed(8, 1), Carried(owed=6, overloads=2, overflowed_at=8, calls_of=3)),
        (Failed(1, overloaded=True), Carried(owed=6, overloads=3, overflowed_at=7, calls_of=3)),
        (Failed(1), Carried(owed=6, overloads=0, overflowed_at=7, calls_of=3)),
        (Unanswered(), BEFORE),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Outcome) else "",
)
def test_what_is_owed_stays_owed_until_it_is_on_the_row(outcome: Outcome, after: Carried) -> None:
    assert BEFORE.after(outcome) == after
