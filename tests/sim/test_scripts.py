"""Scripts and directives: what a test tells the model to say, step by step."""

from pathlib import Path

import aiohttp
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from tests.sim.wires import CHAT, HEADERS

from perdure.sim.directives import compose
from perdure.sim.script import Call, GatePart, Pause, Reasoning, Script, Step, Text
from perdure.sim.server import Simulator, load_scripts


async def ask(openai: AsyncOpenAI, *messages: ChatCompletionMessageParam, model: str = "m") -> ChatCompletion:
    return await openai.chat.completions.create(model=model, messages=messages)


def said(completion: ChatCompletion) -> str | None:
    return completion.choices[0].message.content


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


def test_directives_become_steps() -> None:
    script = compose('[[think:hm]][[call:a {"x": [[1]]}]][[call:b]] then [[pause:250ms]][[gate:door]][[say:done]]')
    assert script is not None
    assert script.steps == (
        Step((Reasoning("hm"), Call("a", {"x": [[1]]}), Call("b"))),
        Step((Pause(0.25), GatePart("door"), Text("done"))),
    )


def test_a_prompt_without_directives_is_no_script() -> None:
    assert compose("an array is written [[1, 2], [3]] in most languages") is None


def test_arguments_that_are_not_json_are_sent_as_they_are() -> None:
    script = compose("[[call:a {not json}]]")
    assert script is not None
    assert script.steps[0].calls == (Call("a", raw="{not json}"),)


async def test_the_step_is_read_off_the_history(openai: AsyncOpenAI) -> None:
    prompt = user("[[call:a]][[then]][[call:b]][[say:end]]")
    history: list[ChatCompletionMessageParam] = [prompt]
    for name in ("a", "b"):
        message = (await ask(openai, *history)).choices[0].message
        assert message.tool_calls
        assert message.tool_calls[0].type == "function"
        assert message.tool_calls[0].function.name == name
        call: ChatCompletionMessageParam = {
            "role": "assistant",
            "tool_calls": [
                {"id": message.tool_calls[0].id, "type": "function", "function": {"name": name, "arguments": "{}"}}
            ],
        }
        history.append(call)
        history.append({"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "ok"})
    assert said(await ask(openai, *history)) == "end"
    assert said(await ask(openai, *history)) == "end"


async def test_a_new_message_begins_a_new_turn(openai: AsyncOpenAI) -> None:
    answer: ChatCompletionMessageParam = {"role": "assistant", "content": "one"}
    assert said(await ask(openai, user("[[say:one]]"), answer, user("[[say:two]]"))) == "two"


async def test_a_script_is_chosen_by_its_marker(sim: Simulator, openai: AsyncOpenAI) -> None:
    sim.script(Script("hello", (Step((Text("from the script"),)),)))
    assert said(await ask(openai, user("please [[script:hello]]"))) == "from the script"
    assert said(await ask(openai, user("please [[script:other]]"))) == "There is no script named other."


async def test_a_script_is_chosen_by_the_models_name(sim: Simulator, openai: AsyncOpenAI) -> None:
    sim.script(Script("mine", (Step((Text("by name"),)),), model="my-*", window=100))
    assert said(await ask(openai, user("hi"), model="my-model")) == "by name"


async def test_a_counted_script_goes_on_across_turns(sim: Simulator, openai: AsyncOpenAI) -> None:
    sim.script(Script("steps", (Step((Text("one"),)), Step((Text("two"),))), model="counted", counted=True))
    assert [said(await ask(openai, user("hi"), model="counted")) for _ in range(3)] == ["one", "two", "Done."]


async def test_a_script_can_be_posted(sim: Simulator, openai: AsyncOpenAI) -> None:
    script = {
        "name": "posted",
        "steps": [
            {
                "parts": [{"type": "text", "text": "over the wire"}],
                "usage": {"input": 11, "output": 22, "cache_read": 3, "reasoning": 4},
            }
        ],
    }
    async with aiohttp.ClientSession() as client, client.post(f"{sim.url}/sim/scripts", json=script) as answer:
        assert answer.status == 201
    completion = await ask(openai, user("[[script:posted]]"))
    assert said(completion) == "over the wire"
    assert completion.usage is not None
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 22)
    assert completion.usage.prompt_tokens_details is not None
    assert completion.usage.prompt_tokens_details.cached_tokens == 3


async def test_a_script_that_makes_no_sense_is_refused(sim: Simulator) -> None:
    bad = {"name": "bad", "steps": [{"parts": [{"type": "song"}]}]}
    async with aiohttp.ClientSession() as client, client.post(f"{sim.url}/sim/scripts", json=bad) as answer:
        assert answer.status == 400
        assert "song" in (await answer.json())["error"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scripts.json", '{"scripts": [{"name": "a", "steps": [{"parts": [{"type": "call", "name": "read"}]}]}]}'),
        ("scripts.toml", '[[scripts]]\nname = "a"\n[[scripts.steps]]\nparts = [{type = "call", name = "read"}]\n'),
    ],
)
def test_scripts_come_from_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert load_scripts(tmp_path / name) == (Script("a", (Step((Call("read"),)),)),)


async def test_only_the_demo_model_speaks_at_a_human_pace() -> None:
    async def writes(url: str, model: str) -> int:
        body = {**CHAT.body("hello"), "model": model}
        async with (
            aiohttp.ClientSession() as client,
            client.post(url + CHAT.path, json=body, headers=HEADERS) as answer,
        ):
            return sum([ended async for _, ended in answer.content.iter_chunks()])

    async with Simulator(rate=1_000) as sim:
        assert await writes(sim.url, "demo") > 5
        assert await writes(sim.url, "another") == 1
