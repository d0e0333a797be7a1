"""A few trees of agents under fire. `perdure bench trees` grows hundreds."""

from pathlib import Path

from perdure.cli.bench_trees import measured, table

DEAF = str(Path(__file__).with_name("deaf.py"))


async def test_no_wake_up_is_lost_while_replicas_agents_and_parents_are_killed() -> None:
    report = await measured(6, 2, 7)
    assert report.wrong == []
    assert report.kills > 0
    assert sum(tree.agents_stopped for tree in report.trees) > 0
    assert report.standing["finished"] > 40
    assert "violations       0" in table(report)


async def test_wake_ups_that_are_dropped_are_found() -> None:
    """Otherwise the other test would show nothing."""
    report = await measured(1, 1, 7, program=(DEAF,), patience=8)
    assert f"tree 0 ({report.trees[0].root}): the parent is not at rest after 8 s" in report.wrong
    assert any(wrong.endswith("was never heard of at rest") for wrong in report.wrong)
