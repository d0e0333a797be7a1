"""What is shown of a flood: all at first, then its end, and never more than there is room for."""

from collections.abc import Callable
from datetime import UTC, datetime

from perdure.core.timing import PROGRESS_AGAIN
from perdure.live.thinning import PIECE, TAIL, Allowance, Thinned


class Hands:
    """A clock whose hands the test moves, and the callbacks that wait for it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def later(self, seconds: float, callback: Callable[[], None]) -> None:
        self.waiting.append((self.seconds + seconds, callback))

    def move(self, seconds: float) -> None:
        self.seconds += seconds
        due = [callback for at, callback in self.waiting if at <= self.seconds]
        self.waiting = [(at, callback) for at, callback in self.waiting if at > self.seconds]
        for callback in due:
            callback()


def thinned(allowance: Allowance) -> tuple[Thinned, list[str], Hands]:
    hands, shown = Hands(), list[str]()
    return Thinned(allowance, shown.append, hands, hands.later), shown, hands


def test_what_there_is_room_for_is_shown_at_once_and_as_it_is() -> None:
    text, shown, hands = thinned(Allowance(1000, 10))
    for word in ("one", "two"):
        text.add(word)
    assert (shown, hands.waiting) == (["one", "two"], [])


def test_the_end_of_a_flood_is_shown_once_there_is_room() -> None:
    text, shown, hands = thinned(Allowance(TAIL + 200, TAIL))
    text.add("a" * TAIL)
    text.add("b" * 10 * TAIL + "the end")
    assert shown == ["a" * TAIL]
    hands.move(2 * PROGRESS_AGAIN.total_seconds())
    assert len(shown) == 2
    assert shown[1].startswith(f"\n[… {9 * TAIL + 7} characters are not shown …]\n")
    assert shown[1].endswith("bthe end")


def test_many_small_pieces_are_shown_together() -> None:
    text, shown, hands = thinned(Allowance(10 * (PIECE + 1), PIECE + 100))
    for _ in range(60):
        text.add("x")
    assert len(shown) == 10
    hands.move(PROGRESS_AGAIN.total_seconds())
    assert shown[10] == "x" * 50


def test_nothing_is_shown_after_the_end() -> None:
    text, shown, hands = thinned(Allowance(0, 1000))
    text.add("late")
    text.end()
    hands.move(10.0)
    assert shown == []


def test_a_flood_for_ten_minutes_shows_a_bounded_amount() -> None:
    text, shown, hands = thinned(Allowance(128 * 1024, 8 * 1024))
    for _ in range(6000):
        text.add("y\n" * 32 * 1024)
        hands.move(0.1)
    assert sum(map(len, shown)) < 128 * 1024 + 600 * 8 * 1024
    assert len(shown) < 1400


def test_those_who_share_an_allowance_take_no_more_than_it_has() -> None:
    shared = Allowance(10_000, 0)
    shares = [Allowance(6_000, 0, shared) for _ in range(2)]
    assert [share.take(6_000, 0.0) for share in shares] == [True, False]
    assert shares[1].take(4_000, 0.0)
    assert not shares[0].take(1, 0.0)
