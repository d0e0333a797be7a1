"""The demo agent: with tools it really works, without it answers, and it does the housekeeping."""

import asyncio
import json
import sys
from pathlib import Path
from typing import cast

import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageParam, ToolParam, ToolResultBlockParam, ToolUseBlock
from openai import AsyncOpenAI

STEPS = 12


def tool(name: str, **properties: str) -> ToolParam:
    schema = {name: {"type": kind} for name, kind in properties.items()}
    return {"name": name, "input_schema": {"type": "object", "properties": schema, "required": list(properties)}}


TOOLS = [
    tool("create_workspace", template="string"),
    tool("write_file", path="string", content="string"),
    tool("execute", command="string"),
    tool("edit_files", files="array"),
]


class Bench:
    """A folder in which the agent's tools really act."""

    def __init__(self, root: Path, broken: frozenset[str] = frozenset()) -> None:
        self.root = root
        self.broken = broken
        self.used: list[str] = []

    async def use(self, call: ToolUseBlock) -> ToolResultBlockParam:
        self.used.append(call.name)
        given = cast(dict[str, str], call.input)
        if call.name in self.broken:
            return {"type": "tool_result", "tool_use_id": call.id, "content": "Error: not today", "is_error": True}
        return {"type": "tool_result", "tool_use_id": call.id, "content": await self._act(call.name, given)}

    async def _act(self, name: str, given: dict[str, str]) -> str:
        match name:
            case "write_file":
                (self.root / given["path"]).write_text(given["content"])
            case "edit_files":
                for file in cast(list[dict[str, list[dict[str, str]]]], given["files"]):
                    path = self.root / cast(str, file["path"])
                    for edit in file["edits"]:
                        assert path.read_text().count(edit["old_text"]) == 1
                        path.write_text(path.read_text().replace(edit["old_text"], edit["new_text"]))
            case "execute":
                return await self._execute(given["command"].replace("python3", f"{sys.executable} -B", 1))
            case _:
                pass
        return "ok"

    async def _execute(self, command: str) -> str:
        process = await asyncio.create_subprocess_shell(
            command, cwd=self.root, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        output, _ = await process.communicate()
        return f"exit_code: {process.returncode}\n{output.decode()}"


async def work(anthropic: AsyncAnthropic, bench: Bench, request: str) -> tuple[Message, list[MessageParam]]:
    messages: list[MessageParam] = [{"role": "user", "content": request}]
    for _ in range(STEPS):
        async with anthropic.messages.stream(
            model="demo-fast", max_tokens=4000, thinking={"type": "adaptive"}, tools=TOOLS, messages=messages
        ) as stream:
            answer = await stream.get_final_message()
        messages.append({"role": "assistant", "content": answer.content})
        if answer.stop_reason != "tool_use":
            return answer, messages
        calls = [block for block in answer.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": [await bench.use(call) for call in calls]})
    raise AssertionError("the agent does not come to an end")


def spoken(message: Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


@pytest.mark.parametrize(
    ("request_", "file", "output"),
    [
        ("Write a fibonacci program for 12 numbers", "fibonacci.py", "0 1 1 2 3 5 8 13 21 34 55 89"),
        ("I need prime numbers up to 30", "primes.py", "2 3 5 7 11 13 17 19 23 29"),
        ("make a word count script", "word_count.py", "4 the"),
        ("build me a todo list", "todo.py", "still open: test, rest"),
        ("write something useful", "slug.py", "agent-chats-that-survive-everything"),
    ],
)
async def test_it_builds_breaks_fixes_and_reports(
    anthropic: AsyncAnthropic, tmp_path: Path, request_: str, file: str, output: str
) -> None:
    bench = Bench(tmp_path)
    last, _ = await work(anthropic, bench, request_)
    assert bench.used == [
        "create_workspace",
        "write_file",
        "write_file",
        "execute",
        "edit_files",
        "execute",
        "execute",
    ]
    assert "## Done" in spoken(last)
    assert output in spoken(last)
    assert (tmp_path / file).exists()


async def test_a_second_turn_uses_the_same_workspace(anthropic: AsyncAnthropic, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    _, messages = await work(anthropic, bench, "Write a fibonacci program")
    messages.append({"role": "user", "content": "And now one for primes"})
    second = await anthropic.messages.create(model="demo-fast", max_tokens=4000, tools=TOOLS, messages=messages)
    assert [block.name for block in second.content if block.type == "tool_use"] == ["write_file", "write_file"]


async def test_it_goes_another_way_when_an_edit_fails(anthropic: AsyncAnthropic, tmp_path: Path) -> None:
    bench = Bench(tmp_path, broken=frozenset({"edit_files"}))
    last, _ = await work(anthropic, bench, "Write a fibonacci program")
    assert bench.used[4:] == ["edit_files", "write_file", "execute", "execute"]
    assert "## Done" in spoken(last)


async def test_it_gives_up_and_says_why(anthropic: AsyncAnthropic, tmp_path: Path) -> None:
    bench = Bench(tmp_path, broken=frozenset({"create_workspace"}))
    last, _ = await work(anthropic, bench, "Write a fibonacci program")
    assert bench.used == ["create_workspace", "create_workspace"]
    assert "not today" in spoken(last)


async def test_a_greeting_needs_no_workspace(anthropic: AsyncAnthropic) -> None:
    answer = await anthropic.messages.create(
        model="demo-fast", max_tokens=4000, tools=TOOLS, messages=[{"role": "user", "content": "Hello there"}]
    )
    assert spoken(answer).startswith("# Hello!")


async def test_it_explains_perdure_with_a_table_and_code(openai: AsyncOpenAI) -> None:
    answer = await openai.chat.completions.create(
        model="demo-fast", messages=[{"role": "user", "content": "What happens when the server crashes?"}]
    )
    text = answer.choices[0].message.content or ""
    assert "| --- | --- |" in text
    assert "```sh" in text


async def test_a_title_fits_its_form(openai: AsyncOpenAI) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
        "additionalProperties": False,
    }
    answer = await openai.chat.completions.create(
        model="demo-fast",
        messages=[{"role": "user", "content": "Please write a fibonacci program for me [[fault:cut]]"}],
        response_format={"type": "json_schema", "json_schema": {"name": "title", "schema": schema}},
    )
    assert json.loads(answer.choices[0].message.content or "") == {"title": "A fibonacci program"}


async def test_a_conversation_is_summarized(anthropic: AsyncAnthropic, tmp_path: Path) -> None:
    _, messages = await work(anthropic, Bench(tmp_path), "Write a fibonacci program")
    messages.append({"role": "user", "content": "Summarize the conversation so far."})
    answer = await anthropic.messages.create(model="demo-fast", max_tokens=4000, tools=TOOLS, messages=messages)
    assert spoken(answer).startswith("## Summary\n- The user asked: Write a fibonacci program")
    assert "7 tool calls were made" in spoken(answer)


@pytest.mark.parametrize(
    ("quoted", "expected"),
    [
        (
            "user: Please write a fibonacci program\n\nassistant: ## Done\n\nThe program prints numbers.",
            {
                "title": "A fibonacci program",
                "label": "Built and tested fibonacci",
                "summary": "The user asked: Please write a fibonacci program. "
                "The last answer: Done The program prints numbers.",
            },
        ),
        (
            "user: What is the capital of Norway? [[say:x]]\n\nassistant: Oslo",
            {
                "title": "What is the capital of Norway",
                "label": "What capital Norway",
                "summary": "The user asked: What is the capital of Norway? The last answer: Oslo.",
            },
        ),
    ],
    ids=["work", "talk"],
)
async def test_a_quoted_conversation_gets_its_words(openai: AsyncOpenAI, quoted: str, expected: dict[str, str]) -> None:
    names = ["title", "label", "summary"]
    schema: dict[str, object] = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    asked = f"Describe this conversation for a list of chats.\n\n<conversation>\n{quoted}\n</conversation>"
    answer = await openai.chat.completions.create(
        model="demo-fast",
        messages=[{"role": "user", "content": asked}],
        response_format={"type": "json_schema", "json_schema": {"name": "words", "schema": schema}},
    )
    assert json.loads(answer.choices[0].message.content or "") == expected
