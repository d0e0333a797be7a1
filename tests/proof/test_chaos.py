"""The chaos test finds nothing in the product, and finds each of seven bugs that are planted in it."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from perdure.cli.chaos import REPLICA, outside, run
from perdure.cli.proof_clusters import Reached, pair_moves
from perdure.proof.cluster import FAIL_OVER, SWITCH_OVER
from perdure.proof.fleet import ReplicaProgram
from perdure.proof.tables import chaos_table, timeline
from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet
from perdure.testing.forking import forked

MINUTE = timedelta(minutes=1)
LONG = 4 * MINUTE
"""A run ends when the bug is found: after some seconds, or later on a machine that is busy with other things."""
PLANTED = str(Path(__file__).with_name("planted.py"))
SHIPPED = replace(REPLICA, launch=forked)


def planted(bug: str) -> ReplicaProgram:
    return ReplicaProgram((PLANTED, bug), launch=forked)


async def test_a_minute_of_chaos_breaks_no_promise() -> None:
    outcome = await run(3, MINUTE, 2026, program=SHIPPED)
    assert outcome.wrong == (), "\n".join([chaos_table(outcome), *timeline(outcome)])
    assert outcome.rested_after is not None
    assert len(outcome.failovers) > 0


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("bug", "rules"),
    [
        ("skip_the_fence", {5}),
        # A replica that hears of a stop before it is committed does not heed it, either.
        ("publish_before_commit", {3, 7}),
        ("drop_a_segment", {3}),
        ("forget_the_journal", {2}),
        # Whoever watches may see parts of two tries under one number before the commits are looked at.
        ("reuse_an_attempt", {3, 5}),
        ("fence_at_the_end", {7}),
    ],
)
async def test_a_planted_bug_is_found(bug: str, rules: set[int]) -> None:
    outcome = await run(3, LONG, 7, program=planted(bug), stop_at=rules)
    assert rules & {wrong.rule for wrong in outcome.wrong}
    assert timeline(outcome)[0].startswith("timeline of chat")


async def test_a_minute_of_chaos_on_a_pair_breaks_no_promise() -> None:
    outcome = await run(3, MINUTE, 2026, program=SHIPPED, cluster=pair_moves(Reached.HOSTS))
    assert outcome.wrong == (), "\n".join([chaos_table(outcome), *timeline(outcome)])
    assert outcome.rested_after is not None
    # Which of them it is in a minute, the machine's load decides.
    assert {each.kind for each in outcome.evidence.switchovers} & {SWITCH_OVER, FAIL_OVER}
    assert outcome.followings


@pytest.mark.timeout(600)
async def test_a_pool_that_keeps_a_demoted_server_is_found() -> None:
    # The address leads to the old primary until that is back, whatever else this machine does.
    cluster = pair_moves(Reached.PROXY, late=timedelta(seconds=6))
    outcome = await run(3, LONG, 7, program=planted("keep_a_demoted_server"), stop_at={6}, cluster=cluster)
    assert 6 in {wrong.rule for wrong in outcome.wrong}


async def test_a_deployment_of_somebody_else_is_tried_from_outside(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        outcome = await outside(fleet.replicas[0].url, fleet.person.token, timedelta(seconds=3), 7)
    assert outcome.wrong == (), chaos_table(outcome)
    assert (outcome.met, len(outcome.evidence.chats)) == (True, 16)
    assert outcome.log.faults
