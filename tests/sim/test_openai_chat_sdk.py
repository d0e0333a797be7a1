"""OpenAI's own SDK drives the simulator through Chat Completions."""

import openai as sdk
import pytest
from openai import AsyncOpenAI
from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
)

READ: ChatCompletionFunctionToolParam = {
    "type": "function",
    "function": {
        "name": "read_file",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}


async def test_text_and_usage_are_streamed(openai: AsyncOpenAI) -> None:
    stream = await openai.chat.completions.create(
        model="m",
        stream=True,
        stream_options={"include_usage": True},
        messages=[{"role": "user", "content": "[[say:20 tokens]]"}],
    )
    chunks = [chunk async for chunk in stream]
    assert sum(bool(chunk.choices and chunk.choices[0].delta.content) for chunk in chunks) == 20
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 20
    assert chunks[-2].choices[0].finish_reason == "stop"


async def test_reasoning_and_parallel_calls_go_round(openai: AsyncOpenAI) -> None:
    prompt: ChatCompletionMessageParam = {
        "role": "user",
        "content": '[[think:so]][[call:read_file {"path": "a"}]][[call:read_file {"path": "b"}]][[say:both read]]',
    }
    async with openai.chat.completions.stream(model="m", tools=[READ], messages=[prompt]) as stream:
        message = (await stream.get_final_completion()).choices[0].message
    assert message.tool_calls
    assert [call.function.arguments for call in message.tool_calls] == ['{"path":"a"}', '{"path":"b"}']
    assert (message.model_extra or {})["reasoning_content"] == "so"
    calls: list[ChatCompletionMessageFunctionToolCallParam] = [
        {"id": call.id, "type": "function", "function": {"name": "read_file", "arguments": call.function.arguments}}
        for call in message.tool_calls
    ]
    results: list[ChatCompletionMessageParam] = [
        {"role": "tool", "tool_call_id": call["id"], "content": "text"} for call in calls
    ]
    last = await openai.chat.completions.create(
        model="m", tools=[READ], messages=[prompt, {"role": "assistant", "tool_calls": calls}, *results]
    )
    assert last.choices[0].message.content == "both read"


@pytest.mark.parametrize(("model", "field"), [("openrouter/some-model", "reasoning"), ("m", "reasoning_content")])
async def test_compatible_servers_call_reasoning_by_other_names(openai: AsyncOpenAI, model: str, field: str) -> None:
    completion = await openai.chat.completions.create(
        model=model, messages=[{"role": "user", "content": "[[think:so]][[say:yes]]"}]
    )
    assert (completion.choices[0].message.model_extra or {})[field] == "so"


async def test_an_image_is_taken(openai: AsyncOpenAI, png: str) -> None:
    completion = await openai.chat.completions.create(
        model="m",
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "[[say:seen]]"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}},
                ],
            }
        ],
    )
    assert completion.choices[0].message.content == "seen"
    assert completion.usage is not None
    assert completion.usage.prompt_tokens > 1_600


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("[[say:no]][[finish:refusal]]", "content_filter"),
        ("[[say:100 tokens]]", "length"),
        ("[[call:read_file]]", "tool_calls"),
    ],
)
async def test_every_end_has_its_reason(openai: AsyncOpenAI, prompt: str, reason: str) -> None:
    completion = await openai.chat.completions.create(
        model="m", max_completion_tokens=10, messages=[{"role": "user", "content": prompt}]
    )
    assert completion.choices[0].finish_reason == reason


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("invalid", sdk.BadRequestError),
        ("auth", sdk.AuthenticationError),
        ("forbidden", sdk.PermissionDeniedError),
        ("not_found", sdk.NotFoundError),
        ("rate_limit", sdk.RateLimitError),
        ("server_error", sdk.InternalServerError),
        ("stream_server_error", sdk.APIError),
        ("cut", sdk.APIConnectionError),
    ],
)
async def test_errors_are_the_sdks_own(openai: AsyncOpenAI, fault: str, error: type[Exception]) -> None:
    async def drain() -> None:
        messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": f"[[say:hi]][[fault:{fault}]]"}]
        async for _ in await openai.chat.completions.create(model="m", stream=True, messages=messages):
            pass

    with pytest.raises(error):
        await drain()


async def test_a_long_prefix_is_cached_by_itself(openai: AsyncOpenAI) -> None:
    long: ChatCompletionMessageParam = {"role": "system", "content": "the rules of the replica " * 400}

    async def cached(question: str) -> int:
        completion = await openai.chat.completions.create(
            model="m", messages=[long, {"role": "user", "content": question}]
        )
        assert completion.usage is not None
        assert completion.usage.prompt_tokens_details is not None
        return completion.usage.prompt_tokens_details.cached_tokens or 0

    assert await cached("one") == 0
    assert await cached("two") > 1_024
    assert await cached("two") % 128 == 0


async def test_models_are_listed(openai: AsyncOpenAI) -> None:
    assert "demo" in [model.id async for model in openai.models.list()]
