"""What the vendors' streams mean, read off recordings in their documented formats."""

from pathlib import Path

import pytest
from tests.providers.dialects_played import RECORDINGS, played

from perdure.core.message import (
    AnyPart,
    FinishReason,
    ProviderMetadata,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from perdure.providers.errors.failures import ApiError, Filtered, StreamEnded


def recording(name: str) -> tuple[tuple[AnyPart, ...], FinishReason, Usage | None]:
    parts, finish = played(name.partition("/")[0], Path(f"tests/recordings/{name}.sse").read_bytes())
    assert finish is not None
    return parts, finish.reason, finish.usage


def own(dialect: str, **data: object) -> ProviderMetadata:
    return ProviderMetadata(dialect, "m", data)


def test_anthropic_thinking_and_tools() -> None:
    parts, reason, usage = recording("anthropic_messages/thinking_and_tools")
    assert parts == (
        Reasoning(
            "The user wants the weather in Zürich.",
            provider_metadata=own("anthropic_messages", signature="EqQBCgIYAhIM1gbcDa9GJwZA2b3h"),
        ),
        Reasoning("", provider_metadata=own("anthropic_messages", redacted="EmwKAhgBEgy3va3pzix")),
        Text("I look it up 🌦."),
        ToolCall("toolu_01T1x1fJ34qAmk2tNTrN7Up6", "get_weather", '{"location": "Zürich"}'),
        ToolCall("toolu_02", "get_time", ""),
    )
    assert reason is FinishReason.TOOL_CALLS
    assert usage == Usage(input=1772, output=89, cache_read=1200, cache_write=100)


def test_anthropic_web_search() -> None:
    parts, reason, _ = recording("anthropic_messages/web_search")
    call, result, first, second, text = parts
    assert call == ToolCall("srvtoolu_014", "web_search", '{"query": "durable chats"}', provider_executed=True)
    assert isinstance(result, ToolResult)
    assert (result.tool, result.result) == ("web_search", "A page\nhttps://example.com/a\nB\nhttps://example.com/b")
    assert (first, second) == (
        Source("https://example.com/a", "https://example.com/a", "A page"),
        Source("https://example.com/b", "https://example.com/b", "B"),
    )
    assert isinstance(text, Text)
    assert text.provider_metadata is not None
    assert text.provider_metadata.data["citations"][0]["encrypted_index"] == "Eo8B"
    assert reason is FinishReason.STOP


def test_responses_reasoning_and_tools() -> None:
    parts, reason, usage = recording("openai_responses/reasoning_and_tools")
    assert parts == (
        Reasoning(
            "**Looking**\n\nThen **calling**",
            provider_metadata=own("openai_responses", id="rs_1", encrypted_content="gAAAAABo"),
        ),
        Text("One moment…", own("openai_responses", phase="commentary")),
        ToolCall("call_1", "get_weather", '{"location":"Paris"}'),
    )
    assert reason is FinishReason.TOOL_CALLS
    assert usage == Usage(input=1036, output=187, reasoning=128, cache_read=512)


def test_responses_web_search() -> None:
    parts, reason, _ = recording("openai_responses/web_search")
    assert [type(part) for part in parts] == [ToolCall, ToolResult, Source, Text, Source]
    assert isinstance(parts[0], ToolCall)
    assert parts[0].args == '{"type":"search","query":"durable chats"}'
    assert parts[4] == Source("https://example.com/b", "https://example.com/b", "B")
    assert reason is FinishReason.LENGTH


def test_chat_tools() -> None:
    parts, reason, usage = recording("openai_chat/tools")
    assert parts == (
        Reasoning("I should look."),
        Text("Looking."),
        ToolCall("call_a", "look", '{"where":"left"}'),
        ToolCall("call_b", "look", "{}"),
    )
    assert reason is FinishReason.TOOL_CALLS
    assert usage == Usage(input=20, output=11, reasoning=4, cache_read=16)


def test_openrouters_thoughts_keep_what_has_to_come_back_with_them() -> None:
    parts, reason, usage = recording("openai_chat/openrouter")
    details = [
        {
            "type": "reasoning.text",
            "text": "I should look.",
            "signature": "EqQBCg",
            "format": "anthropic-claude-v1",
            "index": 0,
        },
        {"type": "reasoning.encrypted", "data": "gAAAAB", "id": "rs_1", "format": "anthropic-claude-v1", "index": 1},
    ]
    assert parts == (
        Text("Well. "),
        Reasoning("I should look.", provider_metadata=own("openai_chat", reasoning_details=details)),
        Text("Found."),
        Source("https://example.com/a", "https://example.com/a", "A page"),
        ToolCall("toolu_1", "look", "{}"),
    )
    assert reason is FinishReason.TOOL_CALLS
    assert usage == Usage(input=20, output=11, reasoning=4, cache_read=16, cache_write=2)


def test_a_careless_server_still_gets_four_calls_with_ids_of_their_own() -> None:
    parts, reason, _ = recording("openai_chat/careless_server")
    calls = [part for part in parts if isinstance(part, ToolCall)]
    assert [(call.tool, call.args) for call in calls] == [
        ("look", "{}"),
        ("read", '{"a":1}'),
        ("third", "{}"),
        ("fourth", '{"b":2}'),
    ]
    assert len({call.call_id for call in calls}) == 4
    assert all(call.call_id for call in calls)
    assert reason is FinishReason.TOOL_CALLS


def test_gemini_thoughts_and_tools() -> None:
    parts, reason, usage = recording("gemini/thoughts_and_tools")
    thought, text, first, second, last = parts
    assert thought == Reasoning("**Thinking** about it.")
    assert text == Text("I look left.")
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert (first.args, first.provider_metadata) == ('{"where":"left"}', own("gemini", signature="CiQBc2ln"))
    assert (second.args, second.provider_metadata) == ("{}", None)
    assert last == Text("", own("gemini", signature="RW5k"))
    assert reason is FinishReason.TOOL_CALLS
    assert usage == Usage(input=100, output=50, reasoning=30, cache_read=60)


def test_gemini_grounded() -> None:
    parts, reason, _ = recording("gemini/grounded")
    text, call, result, source = parts
    assert text == Text("It is durable.")
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert (call.args, result.call_id) == ('{"queries":["durable chats"]}', call.call_id)
    assert source == Source("https://example.com/a", "https://example.com/a", "example.com")
    assert reason is FinishReason.STOP


@pytest.mark.parametrize(
    ("name", "failure"),
    [("anthropic_messages/overloaded", ApiError), ("openai_responses/failed", ApiError), ("gemini/blocked", Filtered)],
)
def test_a_recorded_failure_is_raised(name: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        recording(name)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_stream_that_ends_too_early_says_so(path: Path) -> None:
    data = path.read_bytes()
    with pytest.raises(StreamEnded):
        played(path.parent.name, data[:20])


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_recording_holds_a_key(path: Path) -> None:
    assert not any(word in path.read_text() for word in ("sk-", "AIza", "Bearer", "AKIA", "api-key"))
