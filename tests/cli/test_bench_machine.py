"""The benchmark of the machine measures, prints and judges."""

from perdure.cli.bench_machine import CHATS, Measured, measured, missed, table


def test_the_machine_is_measured_beside_the_floor() -> None:
    rows = measured(1, 8)
    assert [row.chats for row in rows] == list(CHATS)
    assert all(row.commits > 0 and row.floor > 0 for row in rows)
    assert len(table(rows).splitlines()) == 1 + len(CHATS)


def test_less_than_the_bar_is_missed_and_the_bar_is_not() -> None:
    assert missed([Measured(1, 60, 100, 0.6)]) == []
    assert missed([Measured(16, 59, 100, 0.59)]) == ["0.59 of the floor at 16 chats, less than 0.6"]
