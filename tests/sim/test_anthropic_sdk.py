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


async def test_a_search_comes_with_results_and_citations(anthropic: AsyncAnthropic) -> None:
    prompt = says("[[search:perdure]][[cite:it is durable]]")
    async with anthropic.messages.stream(
        model="m",
        max_tokens=500,
        tools=[{"type": "web_search_20250305", "name": "web_search"}],
        messages=prompt,
    ) as stream:
        message = await stream.get_final_message()
    use, result, text = message.content
    assert use.type == "server_tool_use"
    assert result.type == "web_search_tool_result"
    assert result.tool_use_id == use.id
    assert text.type == "text"
    assert text.citations
    assert text.citations[0].type == "web_search_result_location"
    assert message.usage.server_tool_use is not None
    assert message.usage.server_tool_use.web_search_requests == 1
    again = await anthropic.messages.create(
        model="m",
        max_tokens=500,
        messages=[*prompt, {"role": "assistant", "content": message.content}, *says("[[say:thanks]]")],
    )
    assert again.stop_reason == "end_turn"


async def test_a_paused_search_is_resumed(anthropic: AsyncAnthropic) -> None:
    prompt = says("[[search:perdure]][[finish:paused]][[then]][[say:found it]]")
    paused = await anthropic.messages.create(model="m", max_tokens=500, messages=prompt)
    assert paused.stop_reason == "pause_turn"
    assert [block.type for block in paused.content] == ["server_tool_use"]
    resumed = await anthropic.messages.create(
        model="m", max_tokens=500, messages=[*prompt, {"role": "assistant", "content": paused.content}]
    )
    assert [block.text for block in resumed.content if block.type == "text"] == ["found it"]


async def test_redacted_thinking_comes_back_as_it_was(anthropic: AsyncAnthropic) -> None:
    prompt = says("[[redacted:secret]][[call:read_file]][[say:done]]")
    first = await anthropic.messages.create(model="m", max_tokens=500, tools=[READ], messages=prompt)
    assert [block.type for block in first.content] == ["redacted_thinking", "tool_use"]
    assert first.content[1].type == "tool_use"
    second = await anthropic.messages.create(
        model="m",
        max_tokens=500,
        tools=[READ],
        messages=[
            *prompt,
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": first.content[1].id}]},
        ],
    )
    assert second.stop_reason == "end_turn"


async def test_an_image_and_a_pdf_are_taken(anthropic: AsyncAnthropic, png: str, pdf: str) -> None:
    message = await anthropic.messages.create(
        model="m",
        max_tokens=500,
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}},
                    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": pdf}},
                    {"type": "text", "text": "[[say:seen]]"},
                ],
            }
        ],
    )
    assert message.usage.input_tokens > 4_600


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [("[[say:no]][[finish:refusal]]", "refusal"), ("[[say:100 tokens]]", "max_tokens"), ("hi", "end_turn")],
)
async def test_every_end_has_its_reason(anthropic: AsyncAnthropic, prompt: str, reason: str) -> None:
    limit = 10 if reason == "max_tokens" else 2000
    async with anthropic.messages.stream(model="m", max_tokens=limit, messages=says(prompt)) as stream:
        message = await stream.get_final_message()
    assert message.stop_reason == reason
    assert (message.stop_details is not None) == (reason == "refusal")


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("invalid", sdk.BadRequestError),
        ("auth", sdk.AuthenticationError),
        ("forbidden", sdk.PermissionDeniedError),
        ("not_found", sdk.NotFoundError),
        ("rate_limit", sdk.RateLimitError),
        ("server_error", sdk.InternalServerError),
        ("overloaded", sdk.InternalServerError),
    ],
)
async def test_errors_are_the_sdks_own(anthropic: AsyncAnthropic, fault: str, error: type[sdk.APIStatusError]) -> None:
    with pytest.raises(error) as caught:
        await anthropic.messages.create(model="m", max_tokens=5, messages=says(f"[[fault:{fault}]]"))
    assert caught.value.status_code >= 400


async def test_tokens_are_counted_and_models_listed(anthropic: AsyncAnthropic) -> None:
    counted = await anthropic.messages.count_tokens(model="m", messages=says("word " * 100))
    assert 100 < counted.input_tokens < 200
    assert "demo" in [model.id async for model in anthropic.models.list()]


async def test_a_marked_prefix_is_written_once_and_read_again(anthropic: AsyncAnthropic) -> None:
    async def ask(system: str, question: str) -> tuple[int, int, int]:
        message = await anthropic.messages.create(
            model="m",
            max_tokens=5,
            system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            messages=says(question),
        )
        usage = message.usage
        return usage.input_tokens, usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0

    prefix = "the rules of the replica " * 400
    fresh, written, read = await ask(prefix, "one")
    assert (written > 1_024, read) == (True, 0)
    assert await ask(prefix, "two") == (fresh, 0, written)
    assert (await ask(prefix + "!", "two"))[2] == 0
    assert (await ask("short", "two"))[1:] == (0, 0)


async def test_the_cache_grows_with_the_conversation(anthropic: AsyncAnthropic) -> None:
    long = "a long story about the sea " * 300

    async def ask(*texts: str) -> tuple[int, int]:
        history: list[MessageParam] = [
            {"role": "assistant", "content": text} if number % 2 else {"role": "user", "content": text}
            for number, text in enumerate(texts[:-1])
        ]
        last: MessageParam = {
            "role": "user",
            "content": [{"type": "text", "text": texts[-1], "cache_control": {"type": "ephemeral"}}],
        }
        message = await anthropic.messages.create(model="m", max_tokens=5, messages=[*history, last])
        return message.usage.cache_creation_input_tokens or 0, message.usage.cache_read_input_tokens or 0

    first, _ = await ask(long)
    more, read = await ask(long, "I see", "go on " * 400)
    assert read == first
    assert 0 < more < first
