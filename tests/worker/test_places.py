"""A place is reserved before it is used, and given back once: however many come at the same moment."""

from collections import Counter
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from perdure.core.ids import RunnerId, UserId
from perdure.worker.capacity import Capacity, Places

USERS = [UserId(UUID(int=number)) for number in range(3)]
RUNNERS = [RunnerId(UUID(int=number)) for number in range(12)]
MOVES = st.lists(
    st.tuples(st.sampled_from(["reserve", "insist", "release"]), st.sampled_from(RUNNERS), st.sampled_from(USERS)),
    max_size=60,
)


@given(MOVES, st.integers(0, 4), st.integers(0, 3))
def test_nobody_gets_a_place_that_another_has(
    moves: list[tuple[str, RunnerId, UserId]], chats: int, per_user: int
) -> None:
    places, held = Places(Capacity(chats, per_user)), dict[RunnerId, UserId]()
    for move, runner, user in moves:
        if move == "release":
            places.release(runner)
            held.pop(runner, None)
        elif move == "insist":
            places.insist(runner, user)
            held.setdefault(runner, user)
        elif runner not in held:
            room = len(held) < chats and Counter(held.values())[user] < per_user
            assert places.reserve(runner, user) == room
            held |= {runner: user} if room else {}
        assert len(places) == len(held)
        assert places.free == chats - len(held)
