"""How much fits, where a provider says so with its answer."""

from typing import Any

import msgspec
import pytest
from tests.providers.dialects_played import played

STOP = {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}
SAYS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "anthropic": (
        "anthropic_messages",
        [{"type": "message_start", "message": {"context_window": 8192}}, {"type": "message_stop"}],
    ),
    "responses": (
        "openai_responses",
        [{"type": "response.completed", "response": {"status": "completed", "context_window": 8192}}],
    ),
    "chat, with the usage": ("openai_chat", [STOP, {"choices": [], "usage": {"context_length": 8192}}]),
    "chat, beside it": ("openai_chat", [{**STOP, "usage": {"prompt_tokens": 3}, "context_window": 8192}]),
    "gemini": (
        "gemini",
        [{"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3, "inputTokenLimit": 8192}}],
    ),
}


def sse(events: list[dict[str, Any]]) -> bytes:
    return b"".join(b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events)


@pytest.mark.parametrize("case", SAYS)
def test_a_limit_that_is_said_is_taken(case: str) -> None:
    dialect, events = SAYS[case]
    _, finish = played(dialect, sse(events))
    assert finish is not None
    assert finish.context_limit == 8192


@pytest.mark.parametrize("odd", [0, -1, "8192", None, True, 10**12, [], {}])
def test_a_limit_that_nobody_can_have_is_not(odd: object) -> None:
    events = [{"type": "response.completed", "response": {"status": "completed", "context_window": odd}}]
    _, finish = played("openai_responses", sse(events))
    assert finish is not None
    assert finish.context_limit is None
