"""The scale test measures a real server, and its bars, tables and pictures say what was measured."""

from collections import Counter
from xml.etree import ElementTree as ET

import msgspec

from perdure.cli.scaletest import own_place
from perdure.proof.scale import stages
from perdure.proof.scale.bars import Bar, quantile
from perdure.proof.scale.gauges import BACKGROUND, COMMIT, CONFIGURATION, TURN, Statement
from perdure.proof.scale.load import Load, Loaded
from perdure.proof.scale.load_chat import Turn
from perdure.proof.scale.pictures import against, markdown, plot, table
from perdure.proof.scale.scaletest import Figure, Report, Wanted, series

WANTED = Wanted(chats=6, turns=3, tokens=20, streams=0, resting=0)


async def test_a_load_sees_every_turn_through() -> None:
    async with own_place(WANTED, 1) as (place, simulator_url):
        loaded = await Load(place, chats=6, turns=3, text=WANTED.text, subscribers=2).run(lambda _done, _all: None)
        warm = await stages.warm(place, WANTED.text)
        added = await stages.first_tokens(place, simulator_url, 3)
        floor = await stages.floor_turns(place, simulator_url, WANTED.text, chats=3, turns=2)
        paced = await stages.paced_delta(place, 3, sse=True, deltas=40)
    assert (len(loaded.turns), loaded.failures.total(), loaded.retries) == (18, 0, 0)
    # A busy client may hear of the answer before it hears that its question was accepted.
    assert all(turn.accepted > 0 and 0 < turn.first_output <= turn.rested for turn in loaded.turns)
    assert all(spent > 0 for spent in loaded.burned.values())
    assert list(loaded.burned) == ["server", "Postgres", "simulator", "load"]
    # One more for a chat that is taken up a moment later, when the lease was renewed late.
    assert 2.0 <= warm.commits < 2.25
    # Configuration is read again from time to time, which counts where turns take long.
    assert warm.round_trips - warm.configuration <= 4
    assert all(0 < by_server < in_all for by_server, in_all in zip(added.by_server, added.in_all, strict=True))
    assert len(added.in_all) == 3
    assert floor.turns == 6
    # A machine's clock of CPU time ticks every ten milliseconds.
    assert 0 <= paced < 10_000


def test_statements_are_told_apart() -> None:
    texts = {
        "WITH swap AS (UPDATE chats SET": COMMIT,
        "SELECT name, value FROM settings WHERE organisation_id = $1": CONFIGURATION,
        "UPDATE replicas SET seen_at = now()": BACKGROUND,
        "SELECT DISTINCT c.id AS chat_id FROM chats c JOIN journal j ON j.chat_id = c.id AND j.message": BACKGROUND,
        "SELECT * FROM cards k JOIN chats e ON e.id = k.id": TURN,
    }
    assert {text: Statement(text, 1, 1, 0).kind for text in texts} == texts


def test_a_bar_is_met_on_its_side() -> None:
    assert (Bar("low", 2.0, 2.0).met, Bar("low", 2.1, 2.0).met) == (True, False)
    assert (Bar("high", 0.5, 0.5, at_least=True).met, Bar("high", 0.4, 0.5, at_least=True).met) == (True, False)


def test_quantiles_are_values_that_were_measured() -> None:
    assert [quantile([3.0, 1.0, 2.0, 4.0], share) for share in (0.0, 0.5, 0.99)] == [1.0, 3.0, 4.0]


def test_what_differs_from_an_earlier_run_is_shown() -> None:
    before, now = _report(), _report()
    now.bars = [Bar("a bar", 2.5, 2.0, "x")]
    assert against(now, before) == "a bar  3.00 x  ->  2.50 x"


async def test_first_and_warm_turns_are_told_apart_also_with_two_processes() -> None:
    wanted = Wanted(chats=4, turns=3, tokens=20, processes=2)
    async with own_place(wanted, 1) as (place, _):
        loaded = await Load(place, chats=4, turns=3, text=wanted.text).run(lambda _done, _all: None)
    assert Counter(turn.first for turn in loaded.turns) == {True: 4, False: 8}
    assert len(place.pids) == 3


def _report() -> Report:
    turns = [Turn(asked_at=at / 10, rested=0.5) for at in range(100)]
    loaded = Loaded(10, seconds=10.0, turns=turns)
    return Report(
        wanted=WANTED, bars=[Bar("a bar", 3.0, 2.0, "x")], figures=[Figure("a figure", "7")], series=series(loaded)
    )


def test_a_report_can_be_read_by_people_and_programs() -> None:
    report = _report()
    assert not report.met
    assert "MISSED" in table(report)
    assert "| a bar | 3.00 x | ≤ 2 | MISSED |" in markdown(report)
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report).bars == report.bars


def test_the_picture_has_a_line_for_each_number() -> None:
    picture = ET.fromstring(plot(_report()))  # noqa: S314
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) > 30 for line in lines] == [True, True, True]
