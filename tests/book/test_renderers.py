"""The page draws every tool that the server has, and its stories call them as they are."""

import re
from pathlib import Path

import pytest

from perdure.tools.builtin import BUILTIN_TOOLS

TOOLS = Path(__file__).parents[2] / "web/src/tools"
DRAWN = (TOOLS / "registry.ts").read_text().partition("RENDERERS")[2].partition("};")[0]
STORIES = (TOOLS / "tools.stories.tsx").read_text()
CALLS = re.findall(r'\[\s*"(\w+)",\s*\{([^{}\[\]]*)[{}\[\]]', STORIES)
TOOL = {tool.name: tool for tool in BUILTIN_TOOLS}


@pytest.mark.parametrize("name", TOOL)
def test_a_tool_has_a_renderer_and_a_story(name: str) -> None:
    assert re.search(rf"^  {name}[:,]", DRAWN, re.MULTILINE)
    assert f'"{name}"' in STORIES


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_story_calls_a_tool_with_what_it_takes(name: str, arguments: str) -> None:
    taken = re.findall(r"(?:^|,)\s*(\w+):", arguments)
    assert name not in TOOL or set(taken) <= set(TOOL[name].schema["properties"])
