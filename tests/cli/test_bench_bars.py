"""What is measured at rest, of growth, of several processes and of leases: small runs measure, and their bars judge."""

import math

from perdure.cli import bench_growth, bench_idle, bench_renewals
from perdure.cli.bench_processes import Carried, judged


async def test_what_rests_is_measured_on_a_real_server() -> None:
    bars = await bench_idle.measured(40, 40, 1)
    start, server, stream, *_ = bars
    assert len(bars) == 6
    assert (start.value > 0, server.value > 20, math.isfinite(stream.value)) == (True, True, True)


async def test_a_long_chat_is_opened_answered_and_searched() -> None:
    bars, sizes = await bench_growth.measured(40, 1000)
    turn, opened, *searches = bars
    assert (turn.value > 0, opened.value > 0, len(searches)) == (True, True, 6)
    assert all(search.value > 0 for search in searches)
    assert "search_documents" in sizes


async def test_leases_of_many_replicas_are_renewed_in_time() -> None:
    share, late = await bench_renewals.measured([5], 1)
    assert share.value > 0
    assert 0 < late.value < math.inf


def test_two_processes_carry_less_than_twice_as_much_where_a_turn_costs_more() -> None:
    gain, failures = judged(2, [Carried(400, 200, 0)], [Carried(380, 250, 0)])
    assert (gain.value, gain.limit, gain.met, failures.met) == (1.9, 1.8, True, True)
    missed, failed = judged(2, [Carried(400, 200, 0)], [Carried(300, 250, 1)])
    assert (missed.met, failed.met) == (False, False)
