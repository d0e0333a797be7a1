"""A few trees of agents under fire. `perdure bench trees` grows hundreds."""

from perdure.cli.bench_trees import measured, table


async def test_no_wake_up_is_lost_while_replicas_agents_and_parents_are_killed() -> None:
    harvest = await measured(6, 2, 7)
    assert harvest.wrong == []
    assert harvest.kills > 0
    assert sum(tree.agents_stopped for tree in harvest.trees) > 0
    assert harvest.standing["finished"] > 40
    assert "violations       0" in table(harvest)
