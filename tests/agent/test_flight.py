"""What is kept of an answer that was cut short."""

from datetime import UTC, datetime

from perdure.agent.flight import INTERRUPTED, partial_answer
from perdure.core.message import FinishReason, NewMessage, Role
from perdure.core.parts import AnyPart, ProviderMetadata, Reasoning, Text, ToolCall, ToolResult
from perdure.providers.projection.step import repair_step

STAMP = NewMessage(role=Role.ASSISTANT, parts=())
SIGNED = ProviderMetadata("anthropic_messages", "m", {"redacted": "opaque"})
THOUGHT, SEALED, UNSIGNED = (
    Reasoning("Hm.", provider_metadata=SIGNED),
    Reasoning("", provider_metadata=SIGNED),
    Reasoning(""),
)
SEARCH = ToolCall("s1", "web_search", '{"query": "x"}', provider_executed=True)
FOUND = ToolResult("s1", "web_search", "pages", provider_executed=True)
ANOTHER = ToolCall("s2", "web_search", '{"query"', provider_executed=True)
CALL, BROKEN = ToolCall("c1", "look", '{"path": "a"}'), ToolCall("c2", "look", '{"path": "a')


def kept(*parts: AnyPart) -> tuple[NewMessage, ...]:
    return partial_answer(repair_step(parts), STAMP, datetime.now(UTC))


def test_thoughts_that_only_the_model_can_read_are_kept_with_the_call_that_they_led_to() -> None:
    answer, result = kept(SEALED, THOUGHT, UNSIGNED, CALL, BROKEN)
    assert answer.parts == (SEALED, THOUGHT, CALL)
    assert answer.finish_reason is FinishReason.INTERRUPTED
    (part,) = result.parts
    assert isinstance(part, ToolResult)
    assert (part.call_id, part.result, part.is_error) == (CALL.call_id, INTERRUPTED, True)


def test_what_the_provider_has_found_stays_with_what_it_looked_for() -> None:
    (answer,) = kept(Text("I look."), SEARCH, FOUND, Text("So far"), ANOTHER)
    assert answer.parts == (Text("I look."), SEARCH, FOUND, Text("So far"))


def test_nothing_is_kept_of_nothing() -> None:
    assert kept() == kept(UNSIGNED, BROKEN, ANOTHER, Text(" ")) == ()
