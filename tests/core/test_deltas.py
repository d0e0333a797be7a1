"""Folding deltas into parts."""

from perdure.core.deltas import Accumulator, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta
from perdure.core.message import ProviderMetadata, Reasoning, Text, ToolCall, ToolResult


def test_pieces_of_one_index_become_one_part_in_index_order() -> None:
    accumulator = Accumulator(
        [TextDelta(1, "wor"), ReasoningDelta(0, "hm"), TextDelta(1, "ld"), ToolCallDelta(2, "c1", "add", '{"a"')]
    )
    accumulator.add(ToolCallDelta(2, args_delta=":1}"))
    assert accumulator.parts() == (Reasoning("hm"), Text("world"), ToolCall("c1", "add", '{"a":1}'))


def test_a_signature_is_not_erased_by_a_later_piece_without_one() -> None:
    signed = ProviderMetadata("anthropic_messages", "m", {"signature": "s"})
    accumulator = Accumulator([ReasoningDelta(0, "a", provider_metadata=signed), ReasoningDelta(0, "b")])
    assert accumulator.parts() == (Reasoning("ab", provider_metadata=signed),)


def test_a_reset_forgets_the_result_so_far() -> None:
    accumulator = Accumulator(
        [
            ToolResultDelta(0, "c1", "advisor", "first try"),
            ToolResultDelta(0, result_reset=True),
            ToolResultDelta(0, result_delta="second", done=True),
        ]
    )
    assert accumulator.parts() == (ToolResult("c1", "advisor", "second"),)
