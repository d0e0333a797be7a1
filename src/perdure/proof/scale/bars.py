"""What was promised and what was measured."""

from collections.abc import Sequence

import msgspec


class Bar(msgspec.Struct, frozen=True):
    """One promise: the number measured, the limit, and how to read them."""

    name: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def verdict(self) -> str:
        return "met" if self.met else "MISSED"

    @property
    def sign(self) -> str:
        return "≥" if self.at_least else "≤"


class Bars(msgspec.Struct, frozen=True):
    """What a measurement leaves for whoever judges it."""

    bars: list[Bar]


def lines(bars: Sequence[Bar]) -> list[str]:
    """Bars as people read them, one to a line."""
    width = max((len(bar.name) for bar in bars), default=0)
    return [
        f"{bar.name:<{width}}  {bar.value:8.2f} {bar.unit:<2} bar {bar.sign} {bar.limit:g}  {bar.verdict}"
        for bar in bars
    ]


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
