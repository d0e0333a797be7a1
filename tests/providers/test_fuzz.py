"""Hostile bytes into every dialect: never a crash, never a hang, never memory without bound."""

import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.providers.dialects_played import RECORDINGS, decoder, played
from tests.providers.routes import NAMES

from perdure.core.deltas import TextDelta
from perdure.core.message import AnyPart, ToolCall, ToolResult
from perdure.providers.errors.failures import Failure, Garbled
from perdure.providers.event_streams import EventStreamSplitter, EventTooLong, Splitter
from perdure.providers.listener import Listener

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
GOOD = [path for path in RECORDINGS if path.stem not in ("overloaded", "failed", "blocked")]
MEGABYTE = 1024 * 1024

paths = st.sampled_from(GOOD)
cuts = st.lists(st.integers(0, 6000), max_size=12)


def pieces(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def without_ids(parts: tuple[AnyPart, ...]) -> list[AnyPart]:
    """The parts, without the ids that are made up afresh each time."""
    return [
        msgspec.structs.replace(part, call_id="") if isinstance(part, ToolCall | ToolResult) else part for part in parts
    ]


def survives(dialect: str, *data: bytes) -> None:
    """Either it means something, or it is a failure that can be classified."""
    with suppress(Failure, EventTooLong):
        played(dialect, *data)


@QUICK
@given(paths, cuts)
def test_where_the_network_cuts_does_not_matter(path: Path, places: list[int]) -> None:
    data = path.read_bytes()
    parts, finish = played(path.parent.name, *pieces(data, places))
    whole, last = played(path.parent.name, data)
    assert (without_ids(parts), finish) == (without_ids(whole), last)


@QUICK
@given(paths, st.sampled_from([b"\r\n", b"\r", b"\n"]), cuts)
def test_how_lines_end_does_not_matter(path: Path, end: bytes, places: list[int]) -> None:
    data = path.read_bytes().replace(b"\r\n", b"\n")
    parts, finish = played(path.parent.name, *pieces(data.replace(b"\n", end), places))
    whole, last = played(path.parent.name, data)
    assert (without_ids(parts), finish) == (without_ids(whole), last)


def ends_itself(path: Path) -> bool:
    """Whether the last event of a recording is the terminal one: a careless server leaves it out."""
    listener = Listener(Splitter(), decoder(path.parent.name))
    for line in path.read_bytes().splitlines(keepends=True):
        listener.feed(line)
    return listener.done


ENDED = [path for path in GOOD if ends_itself(path)]
AFTERWARDS = {
    "anthropic_messages": [
        rb'{"type":"content_block_start","index":9,"content_block":{"type":"tool_use","id":"late","name":"pay"}}',
        rb'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"late"}}',
        rb'{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}',
        rb'{"type":"error","error":{"type":"overloaded_error","message":"late"}}',
        rb'{"type":"message_stop"}',
    ],
    "openai_responses": [
        rb'{"type":"response.output_item.added","output_index":9,"item":{"type":"function_call","name":"pay"}}',
        rb'{"type":"response.output_text.delta","output_index":0,"delta":"late"}',
        rb'{"type":"response.failed","response":{"status":"failed"}}',
        rb'{"type":"response.completed","response":{"id":"late","status":"completed","store":true}}',
    ],
    "openai_chat": [
        rb'{"choices":[{"delta":{"tool_calls":[{"index":9,"id":"late","function":{"name":"pay"}}]}}]}',
        rb'{"choices":[{"delta":{"content":"late"},"finish_reason":"length"}],"usage":{"prompt_tokens":9}}',
        rb'{"error":{"message":"late"}}',
        rb"[DONE]",
    ],
    "gemini": [
        rb'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"pay"}}]}}]}',
        rb'{"candidates":[{"content":{"parts":[{"text":"late"}]},"finishReason":"MAX_TOKENS"}]}',
        rb'{"error":{"code":500,"message":"late","status":"INTERNAL"}}',
    ],
}


@settings(QUICK, max_examples=200)
@given(st.sampled_from(ENDED), st.data(), cuts)
def test_nothing_is_heard_after_the_terminal_event(path: Path, data: st.DataObject, places: list[int]) -> None:
    dialect = path.parent.name
    late = data.draw(st.lists(st.sampled_from([*AFTERWARDS[dialect], b"{broken", b"\xff"]), min_size=1, max_size=4))
    after = b"".join(b"data: " + event + b"\n\n" for event in late)
    whole, last = played(dialect, path.read_bytes())
    parts, finish = played(dialect, *pieces(path.read_bytes() + after, places))
    assert (without_ids(parts), finish) == (without_ids(whole), last)


@QUICK
@given(paths, st.integers(0, 6000), cuts)
def test_a_truncated_stream_is_a_failure_or_a_finish(path: Path, length: int, places: list[int]) -> None:
    survives(path.parent.name, *pieces(path.read_bytes()[:length], places))


@QUICK
@given(paths, st.lists(st.tuples(st.integers(0, 6000), st.binary(min_size=1, max_size=6)), max_size=6), cuts)
def test_broken_bytes_are_survived(path: Path, wounds: list[tuple[int, bytes]], places: list[int]) -> None:
    data = bytearray(path.read_bytes())
    for place, wound in wounds:
        start = place % len(data)
        data[start : start + len(wound)] = wound
    survives(path.parent.name, *pieces(bytes(data), places))


@QUICK
@given(st.sampled_from(NAMES), st.lists(st.binary(max_size=200), max_size=8))
def test_noise_is_survived(dialect: str, noise: list[bytes]) -> None:
    survives(dialect, *noise)


VOCABULARY = """
    type index delta text thinking content_block tool_use input id name error message usage choices finish_reason
    tool_calls function arguments content response item output_index candidates parts functionCall args toolResponse
    response.output_item.added response.output_item.done response.completed response.failed content_block_start
    content_block_delta content_block_stop message_start message_delta message_stop web_search_tool_result text_delta
    web_search_call function_call reasoning action sources finishReason groundingMetadata status annotation
    response.output_text.annotation.added promptFeedback blockReason url error_code citation STOP server_tool_use
"""
WORDS = st.sampled_from(VOCABULARY.split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats(allow_nan=False) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=20,
)


@settings(QUICK, max_examples=400)
@given(st.sampled_from(NAMES), st.lists(st.dictionaries(WORDS, VALUES, max_size=6), min_size=1, max_size=4))
def test_any_json_is_survived(dialect: str, events: list[dict[str, Any]]) -> None:
    survives(dialect, *(b"data: " + msgspec.json.encode(_plain(event)) + b"\n\n" for event in events))


def _plain(value: Any) -> Any:
    """Integers past what JSON writers take, as text."""
    match value:
        case int() if abs(value) >= 2**63:
            return msgspec.Raw(str(value).encode())
        case list():
            return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {key: _plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


@pytest.mark.parametrize("dialect", NAMES)
def test_deep_nesting_is_survived(dialect: str) -> None:
    survives(dialect, b"data: " + b'{"delta":' * 100_000 + b"1" + b"}" * 100_000 + b"\n\n")


@pytest.mark.parametrize("dialect", NAMES)
def test_half_a_surrogate_is_replaced(dialect: str) -> None:
    events = {
        "anthropic_messages": [
            rb'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
            rb'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83db"}}',
            rb'{"type":"message_stop"}',
        ],
        "openai_responses": [
            rb'{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83db"}',
            rb'{"type":"response.completed","response":{"status":"completed"}}',
        ],
        "openai_chat": [rb'{"choices":[{"delta":{"content":"a\ud83db"},"finish_reason":"stop"}]}'],
        "gemini": [rb'{"candidates":[{"content":{"parts":[{"text":"a\ud83db"}]},"finishReason":"STOP"}]}'],
    }
    parts, _ = played(dialect, *(b"data: " + event + b"\n\n" for event in events[dialect]))
    assert [getattr(part, "text", None) for part in parts] == ["a\ufffdb"]


ENDLESS = {
    "anthropic_messages": b'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"abcd"}}\n\n',
    "openai_responses": b'data: {"type":"response.output_text.delta","output_index":0,"delta":"abcd"}\n\n',
    "openai_chat": b'data: {"choices":[{"delta":{"content":"abcd"}}]}\n\n',
    "gemini": b'data: {"candidates":[{"content":{"parts":[{"text":"abcd"}]}}]}\n\n',
}


def grown(feed: Callable[[], object]) -> int:
    """How many bytes more are held after feeding than before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        feed()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dialect", NAMES)
def test_an_endless_answer_holds_no_memory(dialect: str) -> None:
    listener = Listener(Splitter(), decoder(dialect))
    if dialect == "anthropic_messages":
        listener.feed(b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n')
    batch = ENDLESS[dialect] * 500
    listener.feed(batch)

    def feed() -> None:
        for _ in range(20):
            assert [delta.text for delta in listener.feed(batch) if isinstance(delta, TextDelta)] == ["abcd" * 500]

    assert grown(feed) < MEGABYTE


def test_endless_comments_hold_no_memory() -> None:
    splitter = Splitter()
    assert grown(lambda: [splitter.feed(b": keep-alive\n\n" * 1000) for _ in range(100)]) < MEGABYTE


@pytest.mark.parametrize("start", [b"data: ", b": ", b"event: ", b""])
def test_a_line_without_end_is_refused_before_it_fills_the_memory(start: bytes) -> None:
    splitter = Splitter(limit=4 * MEGABYTE)
    splitter.feed(start)

    def feed() -> None:
        for _ in range(1000):
            splitter.feed(b"x" * 65_536)

    def refused() -> None:
        with pytest.raises(EventTooLong):
            feed()

    assert grown(refused) < 8 * MEGABYTE


def test_a_line_of_fifty_megabytes_is_refused() -> None:
    listener = Listener(Splitter(), decoder("openai_chat"))
    listener.feed(ENDLESS["openai_chat"])
    line = b'data: {"choices":[{"delta":{"content":"' + b"x" * 65_536

    def feed() -> None:
        for _ in range(50 * MEGABYTE // 65_536):
            listener.feed(line)

    with pytest.raises(Garbled):
        feed()


@QUICK
@given(st.lists(st.binary(max_size=300), max_size=6))
def test_noise_into_the_binary_framing_is_survived(noise: list[bytes]) -> None:
    splitter = EventStreamSplitter()
    with suppress(Failure, EventTooLong):
        for piece in noise:
            list(splitter.feed(piece))


CARELESS: list[Any] = [None, [], {}, True, -1]


@pytest.mark.parametrize("value", CARELESS)
def test_what_a_server_fills_in_where_words_belong_is_not_taken_for_words(value: object) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": value, "name": "look", "input": {}},
        {"type": "tool_use", "id": value, "name": "look", "input": {}},
        {"type": "thinking", "thinking": value, "signature": value},
        {"type": "text", "text": value},
    ]
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": index, "content_block": block} for index, block in enumerate(blocks)
    ]
    parts, _ = played("anthropic_messages", *_events(*events, {"type": "message_stop"}))
    assert [getattr(part, "text", "") for part in parts] == [""] * 4
    assert [part.call_id for part in parts if isinstance(part, ToolCall)] == ["", ""]


@pytest.mark.parametrize("value", [*CARELESS, "many"])
def test_a_strange_number_of_thoughts_is_none(value: object) -> None:
    usage = {"input_tokens": 5, "output_tokens_details": {"thinking_tokens": value}}
    _, finish = played(
        "anthropic_messages", *_events({"type": "message_delta", "usage": usage}, {"type": "message_stop"})
    )
    assert finish is not None
    assert finish.usage is None or (finish.usage.input, finish.usage.reasoning) == (5, 0)


def _events(*events: dict[str, Any]) -> list[bytes]:
    return [b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events]
