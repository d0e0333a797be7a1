"""Which connection is opened again when a replica's connections lead to different servers."""

from itertools import product

import pytest

from perdure.store.primaries import Outdated, Server, outdated

# What a connection may have found before: a standby, a primary that was told to take no writes, one that is written to.
_FOUND = [Server(7, timeline, writable=writable) for timeline, writable in product((0, 1, 2), (False, True))]


@pytest.mark.parametrize("pool", _FOUND)
@pytest.mark.parametrize("lease", [None, *_FOUND])
def test_whatever_was_found_both_come_to_the_server_that_takes_writes(pool: Server, lease: Server | None) -> None:
    now = Server(7, 2, writable=True)
    for _ in range(2):
        # Whoever looks again finds it.
        stale = outdated(pool, lease)
        pool = now if stale is Outdated.POOL else pool
        lease = now if stale is Outdated.LEASE else lease
    assert outdated(pool, lease) is None
    assert pool.writable
    assert lease in {None, pool}


@pytest.mark.parametrize("lease", [None, *_FOUND])
def test_a_pool_that_cannot_write_is_never_good_enough(lease: Server | None) -> None:
    for pool in _FOUND:
        if not pool.writable:
            assert outdated(pool, lease) is Outdated.POOL


def test_two_servers_that_have_nothing_in_common_are_never_taken_for_one() -> None:
    assert outdated(Server(7, 1, writable=True), Server(8, 1, writable=True)) is Outdated.POOL
