"""Bars that are known to be missed: by how much at most, and which decision says why. Nothing else may be."""

from collections.abc import Iterable
from dataclasses import dataclass

from perdure.proof.scale.bars import Bar
from perdure.proof.scale.scaletest import AGAINST_FLOOR, POSTGRES_CPU, SERVER_CPU


@dataclass(frozen=True, slots=True)
class KnownMiss:
    """One miss that is explained."""

    name: str
    worst: float
    """The worst that the decision accepts: anything worse is news."""
    decision: str

    def covers(self, bar: Bar) -> bool:
        as_good = bar.value >= self.worst if bar.at_least else bar.value <= self.worst
        return bar.name == self.name and as_good


KNOWN_MISSES = (
    KnownMiss(AGAINST_FLOOR, 0.1, "0006"),
    KnownMiss(SERVER_CPU, 2.4, "0011"),
    KnownMiss(POSTGRES_CPU, 1.2, "0011"),
    KnownMiss("memory of a server at rest", 95.0, "0011"),
    KnownMiss("memory of an open stream at rest, of 10,000", 45.0, "0011"),
    KnownMiss("share of a core while 10,000 streams rest", 15.0, "0011"),
    KnownMiss("CPU of a warm turn in a chat of 10,000 messages", 2.6, "0011"),
    *(
        KnownMiss(f"CPU per delta at 50 tokens/s, {chats} chats, {transport}", 150.0, "0011")
        for chats in (20, 200)
        for transport in ("WebSocket", "SSE")
    ),
)


def explained(bars: Iterable[Bar], known: Iterable[KnownMiss] = KNOWN_MISSES) -> list[str] | None:
    """The decisions that explain every bar that was missed; None where one is not explained."""
    listed = tuple(known)
    decisions: dict[str, None] = {}
    for bar in bars:
        if not bar.met:
            found = next((each for each in listed if each.covers(bar)), None)
            if found is None:
                return None
            decisions[found.decision] = None
    return list(decisions)
