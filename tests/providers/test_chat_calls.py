"""Which call a piece of a Chat Completions stream belongs to, whatever a server tells of it; how an answer ends."""

from typing import Any

import msgspec
import pytest
from tests.providers.dialects_played import played

from perdure.core.message import FinishReason, Text, ToolCall
from perdure.providers.errors.failures import ApiError

Piece = dict[str, Any]
ARGUMENTS = ('{"city": "Paris"}', '{"zone": {"of": "Rome"}}')


def chunk(*pieces: Piece, finish: str | None = None, **said: Any) -> bytes:
    delta = {**said, **({"tool_calls": pieces} if pieces else {})}
    return b"data: " + msgspec.json.encode({"choices": [{"delta": delta, "finish_reason": finish}]}) + b"\n\n"


def piece(name: str | None, arguments: object, **named: Any) -> Piece:
    return {**named, "function": {**({"name": name} if name else {}), "arguments": arguments}}


def calls(*chunks: bytes) -> list[tuple[str, str]]:
    parts, finish = played("openai_chat", b"".join(chunks) + chunk(finish="tool_calls") + b"data: [DONE]\n\n")
    assert finish is not None
    assert finish.reason is FinishReason.TOOL_CALLS
    found = [part for part in parts if isinstance(part, ToolCall)]
    assert len({call.call_id for call in found}) == len(found)
    return [(call.tool, call.args) for call in found]


BOTH = [("weather", ARGUMENTS[0]), ("time", ARGUMENTS[1])]
TWICE = [("weather", ARGUMENTS[0]), ("weather", ARGUMENTS[1])]


@pytest.mark.parametrize("named", [{"index": 0}, {"index": 0, "id": ""}, {}, {"id": None}, {"index": None}])
@pytest.mark.parametrize("second", ["time", "weather"])
@pytest.mark.parametrize("apart", [True, False])
def test_whole_calls_stay_apart_where_nothing_but_their_names_tells_them(
    named: Piece, second: str, apart: bool
) -> None:
    pieces = [piece("weather", ARGUMENTS[0], **named), piece(second, ARGUMENTS[1], **named)]
    told = [chunk(each) for each in pieces] if apart else [chunk(*pieces)]
    assert calls(*told) == (BOTH if second == "time" else TWICE)


@pytest.mark.parametrize("cut", range(1, len(ARGUMENTS[1]) - 1))
def test_a_call_that_says_its_name_with_every_piece_is_one_call(cut: int) -> None:
    whole = ARGUMENTS[1]
    pieces = [piece("time", part, index=0) for part in (whole[:cut], whole[cut:], "")]
    assert calls(*map(chunk, pieces)) == [("time", whole)]


def test_pieces_find_their_call_by_its_id_where_no_position_is_told() -> None:
    begun = chunk(piece("weather", "", index=0, id="a"), piece("time", "", index=1, id="b"))
    more = [
        chunk(piece(None, text[half], id=name))
        for half in (slice(0, 5), slice(5, None))
        for name, text in zip("ab", ARGUMENTS, strict=True)
    ]
    assert calls(begun, *more) == BOTH


def test_a_name_that_comes_after_the_arguments_began_is_the_calls_own() -> None:
    assert calls(chunk(piece(None, "{", index=0, id="a")), chunk(piece("weather", "}", index=0))) == [("weather", "{}")]


@pytest.mark.parametrize(("reason", "status"), [("error", 500), ("insufficient_system_resource", 503)])
@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_an_answer_that_broke_off_is_not_told_as_complete(reason: str, status: int, end: bytes) -> None:
    with pytest.raises(ApiError) as raised:
        played("openai_chat", chunk(content="Half of"), chunk(finish=reason), end)
    assert raised.value.status == status


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data:  [DONE]\n\n", b"data: [DONE] \n\n", b"data:[DONE]\n\n"])
def test_the_end_is_known_with_blanks_around_it(end: bytes) -> None:
    parts, finish = played("openai_chat", chunk(content="Hello."), end)
    assert parts == (Text("Hello."),)
    assert finish is not None
