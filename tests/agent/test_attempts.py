"""Which attempts stand against a chat, and when it gives up."""

import pytest

from perdure.agent.facts import counts, exhausted
from perdure.core.errors import (
    ChatNotFound,
    DatabaseFault,
    Fenced,
    HookDispatchFailed,
    ProviderFailure,
    Unavailable,
    WorkspaceLost,
)
from perdure.core.failure import ChatError
from perdure.core.timing import ATTEMPT_LIMIT
from perdure.store.execution import OutcomeUnknown

CASES = [
    (Unavailable("The database is away."), False, False),
    (Unavailable("The database is away."), True, False),
    (OutcomeUnknown("The database is away."), False, False),
    (Fenced(), True, False),
    # Nobody moved the row, and still the fence does not hold: that would go on for ever.
    (Fenced(), False, True),
    (ProviderFailure(ChatError("overloaded")), False, True),
    (ProviderFailure(ChatError("overloaded")), True, True),
    (DatabaseFault("a statement was refused"), False, True),
    (HookDispatchFailed("nobody answers"), False, True),
    (WorkspaceLost("gone"), False, True),
    (ChatNotFound(), False, True),
    (TimeoutError(), False, True),
    (ValueError("a bug"), False, True),
]


@pytest.mark.parametrize(("ended", "moved", "counted"), CASES)
def test_only_what_the_database_did_is_excused(ended: BaseException, moved: bool, counted: bool) -> None:
    assert counts(ended, moved=moved) is counted


@pytest.mark.parametrize(
    ("made", "excused", "over"),
    [
        (0, 0, False),
        (ATTEMPT_LIMIT - 1, 0, False),
        (ATTEMPT_LIMIT, 0, True),
        (ATTEMPT_LIMIT, 1, False),
        (10 * ATTEMPT_LIMIT, 9 * ATTEMPT_LIMIT, True),
        (10 * ATTEMPT_LIMIT, 10 * ATTEMPT_LIMIT, False),
    ],
)
def test_a_chat_gives_up_after_so_many_that_count(made: int, excused: int, over: bool) -> None:
    assert exhausted(made, excused=excused) is over
