"""A miss that a decision explains is told apart from one that is news."""

import pytest

from perdure.proof.known_misses import KNOWN_MISSES, KnownMiss, explained
from perdure.proof.scale.bars import Bar
from perdure.proof.scale.scaletest import AGAINST_FLOOR, PACED_CHATS, POSTGRES_CPU, SERVER_CPU

RATE = KnownMiss("rate", 0.2, "0099")
COST = KnownMiss("cost", 3.0, "0098")


@pytest.mark.parametrize(
    ("bars", "decisions"),
    [
        ([Bar("rate", 0.6, 0.5, at_least=True)], []),
        ([Bar("rate", 0.2, 0.5, at_least=True)], ["0099"]),
        ([Bar("rate", 0.19, 0.5, at_least=True)], None),
        ([Bar("cost", 2.9, 2.0)], ["0098"]),
        ([Bar("cost", 3.1, 2.0)], None),
        ([Bar("rate", 0.3, 0.5, at_least=True), Bar("failures", 1.0, 0.0)], None),
        ([Bar("rate", 0.3, 0.5, at_least=True), Bar("cost", 2.5, 2.0)], ["0099", "0098"]),
    ],
)
def test_a_miss_is_explained_only_by_its_own_bar_and_only_up_to_what_was_recorded(
    bars: list[Bar], decisions: list[str] | None
) -> None:
    assert explained(bars, (RATE, COST)) == decisions


def test_every_known_miss_of_the_scale_test_names_one_of_its_bars_and_is_one() -> None:
    known = {each.name: each.worst for each in KNOWN_MISSES}
    assert known[AGAINST_FLOOR] < 0.35
    assert (known[SERVER_CPU] > 1.4, known[POSTGRES_CPU] > 0.9) == (True, True)
    paced = [
        f"CPU per delta at 50 tokens/s, {chats} chats, {transport}"
        for chats in PACED_CHATS
        for transport in ("WebSocket", "SSE")
    ]
    assert [known[name] > 50 for name in paced] == [True] * len(paced)
