"""In which order the tests of a run are handed to its workers: whatever takes long begins first.

A worker is given one piece of the list and then helps others with the ends of theirs. A long proof that stands at the
end would keep one worker busy after all others have ended.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

LONG = {
    "tests/proof/test_chaos.py": 360,
    "tests/worker/test_unanswered_commits.py": 260,
    "tests/cli/test_bad_hosts.py": 116,
    "tests/scenarios/test_lost_commits.py": 68,
    "tests/scenarios/test_work.py": 68,
    "tests/workspaces/agent/test_ports.py": 62,
    "tests/scenarios/test_crash_points.py": 61,
    "tests/machine/test_model.py": 60,
    "tests/scenarios/test_webhooks.py": 56,
    "tests/scenarios/test_switchover.py": 40,
    "tests/cli/test_processes.py": 74,
    "tests/cli/test_bench_bars.py": 35,
    "tests/proof/test_trees.py": 27,
    "tests/scenarios/test_object_storage.py": 24,
    "tests/scenarios/test_away.py": 20,
    "tests/scenarios/test_mcp_tasks.py": 17,
}
"""Seconds of the files that take longest, as measured with others beside them. Only the order of magnitude counts."""


def ordered(items: Sequence[T], path: Callable[[T], str], *, workers: int) -> list[T]:
    """The items such that every worker's piece begins with its share of what is long, a file in one piece."""
    long: dict[str, list[T]] = {}
    rest: list[T] = []
    for item in items:
        if path(item) in LONG:
            long.setdefault(path(item), []).append(item)
        else:
            rest.append(item)
    heads: list[list[T]] = [[] for _ in range(workers)]
    seconds = [0] * workers
    for name in sorted(long, key=lambda name: -LONG[name]):
        least_busy = min(range(workers), key=lambda worker: (seconds[worker], worker))
        heads[least_busy] += long[name]
        seconds[least_busy] += LONG[name]
    return _joined(heads, rest)


def _joined(heads: Sequence[list[T]], rest: list[T]) -> list[T]:
    """One list that is cut again into as many pieces of equal length, each with its head."""
    length = sum(map(len, heads)) + len(rest)
    joined: list[T] = []
    for number, head in enumerate(heads):
        piece = (length - len(joined)) // (len(heads) - number)
        taken = max(0, piece - len(head))
        joined += head + rest[:taken]
        del rest[:taken]
    return joined + rest
