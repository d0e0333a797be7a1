"""Long tests begin first, and none is lost."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.ordering import LONG, ordered

ROOT = Path(__file__).parents[2]
SOME = st.lists(st.sampled_from([*LONG, *(f"tests/short/test_{number}.py" for number in range(5))]), max_size=60)


def pieces(items: list[str], workers: int) -> list[list[str]]:
    """As the workers are handed the list: equal pieces, the later ones longer where it does not divide."""
    left, cut = list(items), list[list[str]]()
    for remaining in range(workers, 0, -1):
        length = len(left) // remaining
        cut.append(left[:length])
        del left[:length]
    return cut


@given(SOME, st.integers(1, 6))
def test_every_test_runs_once(files: list[str], workers: int) -> None:
    assert sorted(ordered(files, str, workers=workers)) == sorted(files)


@given(SOME, st.integers(1, 6))
def test_where_a_piece_has_room_its_long_tests_stand_first(files: list[str], workers: int) -> None:
    short = [f"tests/short/test_{number}.py" for number in range(1000)]
    for piece in pieces(ordered([*files, *short], str, workers=workers), workers):
        long = [name in LONG for name in piece]
        assert long == sorted(long, reverse=True)


def test_every_file_that_is_named_is_there() -> None:
    assert [name for name in LONG if not (ROOT / name).is_file()] == []
