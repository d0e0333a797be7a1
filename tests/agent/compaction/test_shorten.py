"""Prompts that do not fit: the largest goes first, and whoever reads the rest is told what is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.agent.compaction.shorten import SMALLEST_PART, Fitted, fitted, without
from perdure.agent.compaction.size import Frame
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.message import AnyPart, File, Media, NewMessage, Role, Text, ToolResult
from perdure.providers.estimate import PICTURE_TOKENS


def said(*parts: AnyPart, role: Role = Role.USER) -> NewMessage:
    return NewMessage(role=role, parts=parts)


def file(number: int) -> File:
    return File(str(number), f"{number}.txt", "text/plain")


def texts(kept: Fitted) -> str:
    return "".join(part.text for message in kept.messages for part in message.parts if isinstance(part, Text))


def test_what_fits_stays_as_it_is() -> None:
    messages = (said(Text("look"), file(1)),)
    assert fitted(messages, 1_000, Frame(files={"1": 900})) == Fitted(messages)


def test_the_largest_file_is_left_out_and_named() -> None:
    kept = fitted((said(Text("look"), file(1), file(2)),), 1_000, Frame(files={"1": 900, "2": 300}))
    assert kept.left_out == ("1.txt",)
    assert "does not fit: 1.txt." in texts(kept)
    assert file(2) in kept.messages[0].parts


def test_a_long_text_is_cut_before_a_small_file_is_left_out() -> None:
    kept = fitted((said(Text("word " * 5_000), file(1)),), 3_000, Frame(files={"1": 500}))
    assert kept.left_out == ()
    assert "bytes left out" in texts(kept)


def test_a_picture_of_a_tool_is_left_out_with_a_word_in_its_result() -> None:
    shown = ToolResult("c", "look", "seen", media=(Media("1", "image/png", "screen.png"),))
    kept = fitted((said(shown, role=Role.TOOL),), 800, Frame(files={"1": PICTURE_TOKENS}))
    result = kept.messages[0].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.media, kept.left_out) == ((), ("screen.png",))
    assert result.result.startswith("seen\n\n[Left out because it does not fit: screen.png.")


@given(st.lists(st.integers(0, 5_000), max_size=12), st.integers(0, 2_000))
def test_files_never_keep_a_message_from_fitting(sizes: list[int], words: int) -> None:
    files = {str(number): size for number, size in enumerate(sizes)}
    message = said(Text("word " * words), *(file(number) for number in range(len(sizes))))
    frame = Frame(files=files)
    kept = fitted((message,), 1_500, frame)
    assert frame.of(kept.messages) <= 1_500
    names = {part.name for part in kept.messages[0].parts if isinstance(part, File)}
    assert names.isdisjoint(kept.left_out)
    assert names | set(kept.left_out) == {file(number).name for number in range(len(sizes))}


def test_texts_that_cannot_be_cut_further_are_an_overflow_that_names_the_largest() -> None:
    with pytest.raises(ProviderFailure) as raised:
        fitted([said(Text("word " * 1_000)) for _ in range(10)], 5 * SMALLEST_PART)
    assert raised.value.error.kind is ErrorKind.CONTEXT_OVERFLOW
    assert raised.value.error.detail == "The largest part is a text of about 1667 tokens."


def test_what_the_provider_refuses_is_left_out_and_texts_are_not_cut() -> None:
    shown = ToolResult("c", "look", "seen", media=(Media("2", "image/png", "screen.png"),))
    told = Fitted((said(Text("word " * 5_000), file(1), file(3)), said(shown, role=Role.TOOL)), ("large.txt",))
    kept = without(told, {"1", "2"})
    assert kept is not None
    assert (kept.left_out, kept.refused) == (("large.txt",), ("1.txt", "screen.png"))
    assert "refuses it: 1.txt." in texts(kept)
    assert kept.messages[0].parts[0] == Text("word " * 5_000)
    assert file(3) in kept.messages[0].parts
    assert without(kept, {"1", "2"}) is None
