"""Every number that is shown is seen by some test: one that nobody feeds is worse than none."""

import re
from pathlib import Path

from perdure.observe.measures.all import Measures
from perdure.observe.metrics import Described

TESTS = Path(__file__).parents[1]
# How metrics are made and rendered is tested with names that only look like ours.
ELSEWHERE = TESTS / "observe"


def series(metric: Described) -> set[str]:
    """What a test asks for that sees the metric."""
    return {f"{metric.name}_count", f"{metric.name}_sum"} if metric.kind == "histogram" else {metric.name}


def test_every_metric_is_seen_by_a_test() -> None:
    texts = [path.read_text() for path in TESTS.rglob("*.py") if ELSEWHERE not in path.parents]
    named = {name for text in texts for name in re.findall(r'"(perdure_\w+)"', text)}
    assert [metric.name for metric in Measures().metrics.described() if not series(metric) & named] == []
