"""Answers that a provider withheld: which category, and why, in every dialect that says so."""

from typing import Any

import msgspec
import pytest
from tests.providers.dialects_played import played

from perdure.core.message import FinishReason
from perdure.providers.errors.failures import Filtered

RATINGS = [{"category": "HARM_CATEGORY_HATE", "blocked": True}, {"category": "HARM_CATEGORY_OTHER"}]
FOUND = {"hate": {"filtered": True, "severity": "high"}, "violence": {"filtered": False}}
CASES: dict[str, tuple[str, list[dict[str, Any]], str]] = {
    "anthropic": (
        "anthropic_messages",
        [
            {
                "type": "message_delta",
                "delta": {
                    "stop_reason": "refusal",
                    "stop_details": {"type": "refusal", "category": "cyber", "explanation": "It helps an attack."},
                },
            },
            {"type": "message_stop"},
        ],
        "cyber: It helps an attack.",
    ),
    "gemini": (
        "gemini",
        [{"candidates": [{"finishReason": "SAFETY", "finishMessage": "Not this.", "safetyRatings": RATINGS}]}],
        "HARM_CATEGORY_HATE: Not this.",
    ),
    "gemini, without a rating": (
        "gemini",
        [{"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}],
        "PROHIBITED_CONTENT",
    ),
    "azure": (
        "openai_chat",
        [{"choices": [{"delta": {}, "finish_reason": "content_filter", "content_filter_results": FOUND}]}],
        "hate",
    ),
    "azure, responses": (
        "openai_responses",
        [
            {
                "type": "response.incomplete",
                "response": {
                    "status": "incomplete",
                    "incomplete_details": {"reason": "content_filter"},
                    "content_filters": [{"content_filter_results": FOUND}],
                },
            }
        ],
        "hate",
    ),
}


def sse(events: list[dict[str, Any]]) -> bytes:
    return b"".join(b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events)


@pytest.mark.parametrize("case", CASES)
def test_the_reason_of_a_refusal_is_read(case: str) -> None:
    dialect, events, reason = CASES[case]
    _, finish = played(dialect, sse(events))
    assert finish is not None
    assert (finish.reason, finish.explanation) == (FinishReason.CONTENT_FILTER, reason)


def test_a_prompt_that_gemini_blocks_says_why() -> None:
    feedback = {"blockReason": "SAFETY", "blockReasonMessage": "Not this.", "safetyRatings": RATINGS}
    with pytest.raises(Filtered, match=r"HARM_CATEGORY_HATE: Not this\."):
        played("gemini", sse([{"promptFeedback": feedback}]))


@pytest.mark.parametrize("details", [None, 1, [], {"category": None, "explanation": None}, {"category": 3}])
def test_details_of_any_shape_are_survived(details: object) -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}},
        {"type": "message_stop"},
    ]
    _, finish = played("anthropic_messages", sse(events))
    assert finish is not None
    assert finish.explanation is None
