"""A tool is one function and one line: what is to be known of one that is planted here, it says itself."""

import ast
from pathlib import Path

import pytest

from perdure.agent.toolset import Toolset
from perdure.core.action import CallKind
from perdure.tools import builtin
from perdure.tools.builtin import BUILTIN_TOOLS, ending
from perdure.tools.call import Mode
from perdure.tools.tool import Effect, Need, Tool, ToolContext, tool


async def _end(_: ToolContext) -> None:
    """Nothing is left running."""


@tool(
    Effect.READS,
    modes=frozenset({Mode.PLAN}),
    exclusive=True,
    stop_after=True,
    serial=True,
    reframes=True,
    answered_by=CallKind.CHILDREN,
    needs=frozenset({Need.ADVISOR}),
    end=_end,
)
async def planted(_: ToolContext, number: int = 1) -> str:
    """Grow."""
    return str(number)


def toolset(*tools: Tool) -> Toolset:
    return Toolset(Mode.PLAN, {tool.name: tool for tool in tools})


def test_everything_that_it_says_is_known() -> None:
    chosen = toolset(planted)
    assert chosen.kinds() == {"planted": CallKind.CHILDREN}
    assert (chosen.exclusive("planted"), chosen.stops("planted"), chosen.reframes("planted")) == (True, True, True)
    assert [spec.name for spec in chosen.specs] == ["planted"]


def test_what_it_left_running_is_ended_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "BUILTIN_TOOLS", (*BUILTIN_TOOLS, planted))
    assert ending("planted") is _end
    assert ending("read_file") is None


@pytest.mark.parametrize("name", ["execute", "computer"])
def test_commands_are_ended_when_their_replica_is_gone(name: str) -> None:
    assert ending(name) is not None


def test_agents_are_what_waits_for_agents() -> None:
    assert toolset(*BUILTIN_TOOLS).kinds() == {"wait_agent": CallKind.CHILDREN}


def test_nobody_but_a_tool_says_its_name() -> None:
    """A tool that is known by its name in the agent or the worker is a place that the next one is forgotten in."""
    names = {tool.name for tool in BUILTIN_TOOLS}
    modules = [path for floor in ("agent", "worker") for path in Path("src/perdure", floor).rglob("*.py")]
    said = [
        (str(path), node.value)
        for path in modules
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert said == []
