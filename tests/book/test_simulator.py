"""The page on the simulator is true: it names every directive and every fault, and its script is one."""

import re
from pathlib import Path

import msgspec

from perdure.sim.directives import ACTIONS, compose
from perdure.sim.faults import IN_STREAM, KINDS
from perdure.sim.script import Call, Scripts

PAGE = (Path(__file__).parents[2] / "docs/reference/simulator.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_directive_is_named() -> None:
    assert set(re.findall(r"\[\[([a-z]+)", section("Directives"))) == set(ACTIONS)


def test_every_fault_is_named() -> None:
    table = section("Faults").split("|---|---|")[1]
    named = set(re.findall(r"`([a-z_]+)[` ]", table)) - {IN_STREAM}
    assert named == {kind for kind in KINDS if not kind.startswith(IN_STREAM)}


def test_the_first_example_makes_two_steps() -> None:
    script = compose(section("Directives").split("`")[1])
    assert script is not None
    first, second = script.steps
    assert first.calls == (Call("read_file", {"path": "a"}), Call("read_file", {"path": "b"}))
    assert len(second.parts) == 1


def test_the_script_is_a_script() -> None:
    text = section("Scripts").split("```json\n")[1].split("```")[0]
    (script,) = msgspec.json.decode(text, type=Scripts).scripts
    assert [len(step.parts) for step in script.steps] == [3, 4]
