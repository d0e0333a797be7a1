"""What is left of a fresh step before it is committed."""

from perdure.core.message import ProviderMetadata, Reasoning, Source, Text, ToolCall, ToolResult
from perdure.providers.projection.step import repair_step

SIGNED = ProviderMetadata("d", "m", {"signature": "s"})
SEARCH = ToolCall("s1", "web_search", '{"query":"x"}', provider_executed=True)
FOUND = ToolResult("s1", "web_search", "a page", provider_executed=True, provider_metadata=SIGNED)


def test_a_sound_step_is_kept_as_it_is() -> None:
    parts = (
        Reasoning("Hm.", provider_metadata=SIGNED),
        SEARCH,
        FOUND,
        Source("1", "https://x.test"),
        Text("Found."),
        ToolCall("c1", "look", "{}"),
    )
    assert repair_step(parts) == parts


def test_nothing_is_left_of_blanks() -> None:
    assert repair_step([Text(""), Text(" \n"), Reasoning(" "), SEARCH]) == ()


def test_a_signed_thought_without_text_is_kept() -> None:
    assert repair_step([Reasoning("", provider_metadata=SIGNED)]) == (Reasoning("", provider_metadata=SIGNED),)


def test_a_result_follows_its_call() -> None:
    second = ToolCall("s2", "web_search", "{}", provider_executed=True)
    found = ToolResult("s2", "web_search", "b", provider_executed=True)
    assert repair_step([SEARCH, second, FOUND, found]) == (SEARCH, FOUND, second, found)


def test_a_result_that_fits_no_call_becomes_text() -> None:
    renamed = ToolResult("s1", "web_fetch", "a page", provider_executed=True)
    for parts in ([FOUND], [FOUND, SEARCH], [SEARCH, renamed]):
        assert [type(part) for part in repair_step(parts)] == [Text]
    again = repair_step([SEARCH, FOUND, FOUND])
    assert again == (SEARCH, FOUND, Text("[web_search]\na page"))


def test_missing_and_repeated_ids_are_given_anew() -> None:
    calls = [
        part for part in repair_step([ToolCall(i, "look", "{}") for i in ("a", "a", "")]) if isinstance(part, ToolCall)
    ]
    assert calls[0].call_id == "a"
    assert len({call.call_id for call in calls} - {""}) == 3


def test_a_call_without_a_name_is_no_call() -> None:
    assert repair_step([ToolCall("a", "", "{}")]) == ()
