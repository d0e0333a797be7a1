"""The drawing in the docs is the table in the code."""

import re
from pathlib import Path

from perdure.core.chat import State
from perdure.machine.diagram import ARROWS, DIAGRAM
from perdure.machine.transitions import Abandon, Acquire

PAGE = Path(__file__).parents[2] / "docs/architecture/machine.md"
ARROW = re.compile(r"^    (\w+) --> (\w+): (\w+)$", re.MULTILINE)

Arrow = tuple[str, str, str]


def drawn() -> list[Arrow]:
    drawing = PAGE.read_text(encoding="utf8").split("```mermaid\n")[1].split("```")[0]
    assert len(drawing.splitlines()) == 1 + len(ARROW.findall(drawing))
    return [(state, name, landing) for state, landing, name in ARROW.findall(drawing)]


def test_the_drawing_has_every_arrow_of_the_table_once_and_no_other() -> None:
    listed = [
        (state.value, transition.__name__, landing.value)
        for state, targets in ARROWS.items()
        for transition, landings in targets.items()
        for landing in landings
    ]
    assert sorted(drawn()) == sorted(listed)
    assert len(set(drawn())) == len(drawn())


def test_the_table_that_is_followed_is_the_table_that_is_drawn() -> None:
    followed = {
        (state.value, transition.__name__, landing.value)
        for state, targets in DIAGRAM.items()
        for transition, landings in targets.items()
        if transition not in (Acquire, Abandon)
        for landing in landings
    }
    assert followed == set(drawn())


def test_ownership_leads_from_every_chat_to_itself() -> None:
    for state in State:
        expected = None if state is State.N else {state}
        assert DIAGRAM[state].get(Acquire) == DIAGRAM[state].get(Abandon) == expected
