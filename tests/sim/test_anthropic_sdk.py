"""Anthropic's own SDK drives the simulator."""

import anthropic as sdk
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import MessageParam, ToolParam

READ: ToolParam = {"name": "read_file", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}


def says(text: str) -> list[MessageParam]:
    return [{"role": "user", "content": text}]


async def test_text_is_streamed_in_pieces(anthropic: AsyncAnthropic) -> None:
    async with anthropic.messages.stream(model="m", max_tokens=500, messages=says("[[say:20 tokens]]")) as stream:
        pieces = [piece async for piece in stream.text_stream]
        message = await stream.get_final_message()
    assert len(pieces) == 20
    assert message.stop_reason == "end_turn"
    assert message.usage.output_tokens == 20


async def test_parallel_calls_go_round_with_thinking(anthropic: AsyncAnthropic) -> None:
    prompt = '[[think:so be it]][[call:read_file {"path": "a"}]][[call:read_file {"path": "b"}]][[say:both read]]'
    first = await anthropic.messages.create(
        model="m",
        max_tokens=2000,
        thinking={"type": "enabled", "budget_tokens": 1024},
        tools=[READ],
        messages=says(prompt),
    )
    calls = [block for block in first.content if block.type == "tool_use"]
    assert [call.input for call in calls] == [{"path": "a"}, {"path": "b"}]
    second = await anthropic.messages.create(
        model="m",
        max_tokens=2000,
        thinking={"type": "enabled", "budget_tokens": 1024},
        tools=[READ],
        messages=[
            *says(prompt),
            {"role": "assistant", "content": first.content},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "text"} for call in calls],
            },
        ],
    )
    assert [block.text for block in second.content if block.type == "text"] == ["both read"]


async def test_a_wrong_key_is_an_authentication_error(anthropic: AsyncAnthropic) -> None:
    with pytest.raises(sdk.AuthenticationError) as caught:
        await anthropic.with_options(api_key="bad-key").messages.create(model="m", max_tokens=5, messages=says("hi"))
    assert caught.value.status_code == 401


async def test_an_error_inside_a_stream_is_raised(anthropic: AsyncAnthropic) -> None:
    with pytest.raises(sdk.APIStatusError) as caught:
        async with anthropic.messages.stream(
            model="m", max_tokens=500, messages=says("[[say:3 tokens]][[fault:stream_overloaded]]")
        ) as stream:
            await stream.get_final_message()
    assert "overloaded_error" in str(caught.value)
