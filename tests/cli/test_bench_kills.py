"""What is said of a turn and of a payment that were killed in the middle."""

import pytest

from perdure.cli.bench_beside_kills import said


@pytest.mark.parametrize(
    ("turn", "payment", "asked", "payments", "words"),
    [
        (3.0, None, True, 1, "the turn goes on, done 2 s after the start; paid once, a person is asked"),
        (None, None, False, 1, "the turn is lost; paid once, its turn is lost"),
        (6.0, 6.0, False, 2, "the turn goes on, done 5 s after the start; paid twice, its turn goes on"),
        (6.0, 6.0, False, 3, "the turn goes on, done 5 s after the start; paid 3 times, its turn goes on"),
    ],
)
def test_the_words_say_what_became_of_both(
    turn: float | None, payment: float | None, *, asked: bool, payments: int, words: str
) -> None:
    assert said(turn, payment, asked=asked, payments=payments, begun=1.0) == words
