"""Which output item a piece of a Responses stream belongs to, by whatever a server names it."""

from collections.abc import Callable, Mapping
from itertools import count, permutations
from typing import Any

import msgspec
import pytest
from tests.providers.dialects_played import played

from perdure.core.message import FinishReason, Reasoning, Text, ToolCall
from perdure.providers.errors.failures import ApiError

Event = dict[str, Any]
Named = Callable[[int, Event], Event]
SEALS = count()
ARGUMENTS = ('{"city": "Paris"}', '{"city": "Rome"}', '{"city": "Bern"}')


def sse(*events: Event) -> bytes:
    return b"".join(b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events)


def at_index(number: int, event: Event) -> Event:
    return {**event, "output_index": number}


def by_item_id(number: int, event: Event) -> Event:
    item = {**event["item"], "id": f"fc_{number}"} if "item" in event else None
    return {**event, **({"item": item} if item else {"item_id": f"fc_{number}"})}


def by_call_id(number: int, event: Event) -> Event:
    """As llama.cpp does it: the item has no id of its own, and its pieces name the call's."""
    return event if "item" in event else {**event, "item_id": f"call_{number}"}


def always_first(number: int, event: Event) -> Event:
    return {**by_item_id(number, event), "output_index": 0}


def changing_ids(number: int, event: Event) -> Event:
    """As a proxy does it that seals every id anew."""
    sealed = f"sealed-{next(SEALS)}"
    item = {**event["item"], "id": sealed} if "item" in event else None
    return {**at_index(number, event), **({"item": item} if item else {"item_id": sealed})}


def with_blank_ids(_: int, event: Event) -> Event:
    """As servers do it that have no ids of items and fill them in with nothing."""
    item = {**event["item"], "id": ""} if "item" in event else None
    return {**event, "item_id": "", **({"item": item} if item else {})}


def same_for_all(_: int, event: Event) -> Event:
    item = {**event["item"], "id": "item"} if "item" in event else None
    return {**event, "output_index": 0, "item_id": "item", **({"item": item} if item else {})}


def unnamed(_: int, event: Event) -> Event:
    return event


def item(number: int, arguments: str) -> Event:
    return {"type": "function_call", "call_id": f"call_{number}", "name": "weather", "arguments": arguments}


def added(number: int) -> Event:
    return {"type": "response.output_item.added", "item": item(number, "")}


def piece(delta: str) -> Event:
    return {"type": "response.function_call_arguments.delta", "delta": delta}


def done(number: int) -> Event:
    return {"type": "response.output_item.done", "item": item(number, ARGUMENTS[number])}


END: Event = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def calls(*events: Event) -> list[tuple[str, str, str]]:
    parts, finish = played("openai_responses", sse(*events, END))
    assert finish is not None
    assert finish.reason is FinishReason.TOOL_CALLS
    return [(part.call_id, part.tool, part.args) for part in parts if isinstance(part, ToolCall)]


EVERY = [(f"call_{number}", "weather", arguments) for number, arguments in enumerate(ARGUMENTS)]


NAMINGS = [at_index, by_item_id, by_call_id, always_first, changing_ids, with_blank_ids, same_for_all, unnamed]


@pytest.mark.parametrize("named", [at_index, by_item_id, by_call_id, always_first, changing_ids])
def test_parallel_calls_stay_apart(named: Named) -> None:
    """All begin before any goes on, and their pieces come mixed."""
    halves = [(n, half) for half in (slice(0, 6), slice(6, None)) for n in range(3)]
    begun = [named(n, added(n)) for n in range(3)]
    pieces = [named(n, piece(ARGUMENTS[n][half])) for n, half in halves]
    assert calls(*begun, *pieces, *(named(n, done(n)) for n in range(3))) == EVERY


@pytest.mark.parametrize("named", NAMINGS)
def test_calls_one_after_the_other_stay_apart(named: Named) -> None:
    events = [
        named(n, event)
        for n in range(3)
        for event in (added(n), piece(ARGUMENTS[n][:6]), piece(ARGUMENTS[n][6:]), done(n))
    ]
    assert calls(*events) == EVERY


@pytest.mark.parametrize("named", NAMINGS)
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_calls_end_in_any_order(named: Named, order: tuple[int, ...]) -> None:
    """Their arguments come with their ends alone, so that often only the id of the call says which is meant."""
    begun, ended = [named(n, added(n)) for n in range(3)], [named(n, done(n)) for n in order]
    assert calls(*begun, *ended) == EVERY


def whole(number: int) -> Event:
    return {"type": "response.function_call_arguments.done", "arguments": ARGUMENTS[number]}


@pytest.mark.parametrize("named", [at_index, by_item_id, by_call_id, changing_ids])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_arguments_that_only_come_whole_go_to_their_calls(named: Named, order: tuple[int, ...]) -> None:
    assert calls(*(named(n, added(n)) for n in range(3)), *(named(n, whole(n)) for n in order)) == EVERY


def test_arguments_told_again_are_not_told_twice() -> None:
    named = [at_index(n, {"type": added(n)["type"], "item": item(n, ARGUMENTS[n])}) for n in range(3)]
    again = [at_index(n, event) for n in range(2) for event in (piece(ARGUMENTS[n][:4]), piece(ARGUMENTS[n][4:]))]
    assert calls(*named, *again, *(at_index(n, whole(n)) for n in range(3)), at_index(0, done(0))) == EVERY


@pytest.mark.parametrize("late", [whole(0), done(0)])
def test_what_is_told_of_a_call_after_its_end_goes_to_no_other(late: Event) -> None:
    events = (
        at_index(0, added(0)),
        at_index(0, done(0)),
        at_index(1, added(1)),
        at_index(0, late),
        at_index(1, done(1)),
    )
    assert calls(*events) == EVERY[:2]


@pytest.mark.parametrize("error", ["boom", {"message": "boom"}, None])
@pytest.mark.parametrize("kind", ["failed", "cancelled"])
@pytest.mark.parametrize("status", [True, False])
def test_an_answer_that_failed_is_a_failure_however_little_is_said_of_it(
    error: object, kind: str, status: bool
) -> None:
    response = {"error": error, **({"status": kind} if status else {})}
    with pytest.raises(ApiError, match="boom" if error else kind):
        played("openai_responses", sse({"type": f"response.{kind}", "response": response}))


def test_an_answer_that_was_cut_says_so_without_a_status() -> None:
    _, finish = played("openai_responses", sse({"type": "response.incomplete", "response": {}}))
    assert finish is not None
    assert finish.reason is FinishReason.LENGTH


def test_a_call_that_is_only_told_when_it_is_complete_is_a_call() -> None:
    assert calls(done(0), done(1), done(1)) == EVERY[:2]


def test_a_piece_under_a_name_that_nobody_knows_belongs_to_the_newest_call() -> None:
    assert calls(added(0), {**piece(ARGUMENTS[0]), "item_id": "strange"}) == EVERY[:1]


@pytest.mark.parametrize("names", [{}, {"output_index": 0}])
def test_thoughts_and_text_stay_apart_where_nothing_names_them(names: Mapping[str, Any]) -> None:
    parts, _ = played(
        "openai_responses",
        sse(
            {"type": "response.reasoning_text.delta", "delta": "Hm", **names},
            {"type": "response.output_text.delta", "delta": "Hel", **names},
            {"type": "response.reasoning_text.delta", "delta": "m.", **names},
            {"type": "response.output_text.delta", "delta": "lo.", **names},
            END,
        ),
    )
    assert parts == (Reasoning("Hmm."), Text("Hello."))
