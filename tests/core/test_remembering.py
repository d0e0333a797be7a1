"""Values that are made of objects once."""

from collections.abc import Sequence

from perdure.core.remembering import MadeOnce, MadeOnceOfAll


class Thing:
    """Told apart from all others that look the same."""


def test_a_value_is_made_of_an_object_once() -> None:
    made: list[Thing] = []
    once = MadeOnce[Thing, int](lambda thing: made.append(thing) or len(made), room=2)
    first, second = Thing(), Thing()
    assert [once(first), once(second), once(first)] == [1, 2, 1]
    assert made == [first, second]


def test_a_value_of_several_objects_is_made_once_for_the_same_ones_in_the_same_order() -> None:
    made: list[tuple[Thing, ...]] = []

    def make(things: Sequence[Thing]) -> int:
        made.append(tuple(things))
        return len(made)

    once = MadeOnceOfAll[Thing, int](make, room=8)
    first, second = Thing(), Thing()
    assert once([first, second]) == once((first, second)) == 1
    assert once([second, first]) == 2
    assert once([first]) == 3
    assert once([]) == once(()) == 4


def test_only_so_many_values_are_kept_and_the_oldest_goes_first() -> None:
    made: list[int] = []
    once = MadeOnceOfAll[Thing, int](lambda things: made.append(len(things)) or len(made), room=2)
    lists = [[Thing()], [Thing()], [Thing()]]
    assert [once(things) for things in lists] == [1, 2, 3]
    assert [once(things) for things in (lists[1], lists[2], lists[0])] == [2, 3, 4]
