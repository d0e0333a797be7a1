"""What the projection makes of a history, turn by turn."""

from dataclasses import replace

from msgspec import structs
from tests.providers.pictures import PNG
from tests.providers.routes import assistant, tool, user

from perdure.core.message import (
    FileReference,
    FinishReason,
    Kind,
    Media,
    NewMessage,
    NoticePart,
    ProviderMetadata,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Visibility,
)
from perdure.providers.projection.calls import NO_RESULT
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.transcript import CONTINUE, NO_OUTPUT, OPENING, project
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.request import FileContent

TARGET = Target("here", "m", sound=lambda _, __: True)
OWN = ProviderMetadata("here", "m", {"signature": "s"})
OLDER = ProviderMetadata("here", "another model", {"signature": "s"})
CALL = ToolCall("c1", "look", "{}")
SEARCH = ToolCall("s1", "web_search", '{"query":"x"}', provider_executed=True)
FOUND = ToolResult("s1", "web_search", "a page", provider_executed=True)


def said(*texts: str) -> UserTurn:
    return UserTurn(tuple(Text(text) for text in texts))


def projected(*messages: NewMessage, target: Target = TARGET) -> list[Turn]:
    return project(messages, target, {"png": FileContent("a.png", "image/png", PNG)})


def test_an_orphan_call_gets_an_error_and_an_orphan_result_a_call() -> None:
    assert projected(user("hi"), assistant(CALL), user("well?")) == [
        said("hi"),
        AssistantTurn((CALL,)),
        ToolTurn((Answer("c1", "look", NO_RESULT, error=True),)),
        said("well?"),
    ]
    assert projected(user("hi"), tool(ToolResult("c9", "look", "seen"))) == [
        said("hi"),
        AssistantTurn((ToolCall("c9", "look", "{}"),)),
        ToolTurn((Answer("c9", "look", "seen"),)),
    ]


def test_results_move_to_their_call_and_into_its_order() -> None:
    calls = (CALL, ToolCall("c2", "look", "{}"))
    history = [
        user("hi"),
        assistant(*calls),
        user("wait"),
        tool(ToolResult("c2", "look", "2"), ToolResult("c1", "look", "1")),
    ]
    assert projected(*history) == [
        said("hi"),
        AssistantTurn(calls),
        ToolTurn((Answer("c1", "look", "1"), Answer("c2", "look", "2"))),
        said("wait"),
    ]


def test_a_repeated_id_is_told_apart() -> None:
    result = ToolResult("c1", "look", "seen")
    turns = projected(user("hi"), assistant(CALL), tool(result), assistant(CALL), tool(result))
    ids = [turn.answers[0].call_id for turn in turns if isinstance(turn, ToolTurn)]
    assert ids == ["c1", "c1_2"]


def test_an_unanswered_call_does_not_take_a_later_calls_result() -> None:
    turns = projected(user("hi"), assistant(CALL), assistant(CALL), tool(ToolResult("c1", "look", "seen")))
    answers = [turn.answers[0] for turn in turns if isinstance(turn, ToolTurn)]
    assert [(answer.text, answer.error) for answer in answers] == [(NO_RESULT, True), ("seen", False)]


def test_arguments_that_are_no_object_are_wrapped() -> None:
    turns = projected(user("hi"), assistant(ToolCall("c", "look", '{"a": "cut')))
    assert turns[1] == AssistantTurn((ToolCall("c", "look", '{"invalid_arguments":"{\\"a\\": \\"cut"}'),))


def test_thoughts_are_kept_for_their_own_model_only() -> None:
    for metadata, kept in ((OWN, True), (OLDER, False), (None, False)):
        thought = Reasoning("Hm.", provider_metadata=metadata)
        turns = projected(user("hi"), assistant(thought, "Hello."), user("ok"))
        assert turns[1] == AssistantTurn((thought, Text("Hello.")) if kept else (Text("Hello."),))


def test_a_redacted_thought_is_kept_without_text() -> None:
    thought = Reasoning("", provider_metadata=OWN)
    assert projected(user("hi"), assistant(thought, "Hello."), user("ok"))[1] == AssistantTurn(
        (thought, Text("Hello."))
    )


def test_a_thought_that_leads_nowhere_is_dropped() -> None:
    assert projected(user("hi"), assistant("a", Reasoning("x", provider_metadata=OWN)), user("ok"))[1] == AssistantTurn(
        (Text("a"),)
    )


def test_a_search_is_kept_for_its_own_model_and_told_to_another() -> None:
    own = structs.replace(FOUND, provider_metadata=OWN)
    assert projected(user("hi"), assistant(SEARCH, own), user("ok"))[1] == AssistantTurn((SEARCH, own))
    foreign = structs.replace(FOUND, provider_metadata=OLDER)
    told = AssistantTurn((Text('[web_search {"query":"x"}]\na page'),))
    assert projected(user("hi"), assistant(SEARCH, foreign), user("ok"))[1] == told


def test_what_is_only_for_people_is_not_shown() -> None:
    history = [
        user("hi"),
        structs.replace(assistant("Summarizing…"), kind=Kind.COMPACTION),
        structs.replace(assistant("For you."), visibility=Visibility.USER),
        assistant(NoticePart("cut", "The answer was cut."), "Hello."),
        structs.replace(user("Also know this."), visibility=Visibility.MODEL),
    ]
    assert projected(*history) == [said("hi"), AssistantTurn((Text("Hello."),)), said("Also know this.")]


def test_a_user_opens_and_a_user_closes() -> None:
    assert projected() == [said(OPENING)]
    assert projected(assistant("Welcome.")) == [said(OPENING), AssistantTurn((Text("Welcome."),)), said(CONTINUE)]


def test_a_pause_is_gone_on_from_where_the_model_can() -> None:
    paused = structs.replace(
        assistant(SEARCH, structs.replace(FOUND, provider_metadata=OWN)), finish_reason=FinishReason.PAUSED
    )
    able = replace(TARGET, continues_paused=True)
    assert isinstance(projected(user("hi"), paused, target=able)[-1], AssistantTurn)
    assert projected(user("hi"), paused)[-1] == said(CONTINUE)


def test_files_lines_and_silence_become_words_or_pictures() -> None:
    media = (
        Media("png", "image/png", "a.png"),
        Media("x", "image/png", "x.png"),
        Media("plan", "text/markdown", "plan.md"),
    )
    shown = projected(
        user("hi"),
        assistant(CALL),
        tool(ToolResult("c1", "look", " ", media=media)),
        user(FileReference("a.py", 3, 4, "x = 1")),
    )
    answered = shown[2]
    assert isinstance(answered, ToolTurn)
    assert answered.answers[0].text == " \n[The file 'x.png' is no longer available.]"
    assert [item.media_type for item in answered.answers[0].attachments] == ["image/png"]
    assert shown[3] == said('<file name="a.py" lines 3 to 4>\nx = 1\n</file>')
    empty = projected(user("hi"), assistant(CALL), tool(ToolResult("c1", "look", "")))[2]
    assert empty == ToolTurn((Answer("c1", "look", NO_OUTPUT),))


def test_without_tools_on_offer_old_exchanges_become_words() -> None:
    turns = projected(
        user("hi"),
        assistant("I look.", CALL),
        tool(ToolResult("c1", "look", "seen")),
        target=replace(TARGET, tools=False),
    )
    assert turns == [
        said("hi"),
        AssistantTurn((Text("I look."), Text("[called look {}]"))),
        said("[look answered]\nseen"),
    ]


def test_without_tools_on_offer_what_was_found_and_shown_is_kept() -> None:
    found = structs.replace(FOUND, provider_metadata=OWN)
    shown = ToolResult("c1", "look", "seen", media=(Media("png", "image/png", "a.png"),))
    turns = projected(user("hi"), assistant(SEARCH, found, CALL), tool(shown), target=replace(TARGET, tools=False))
    assert turns[1] == AssistantTurn((Text("[web_search]\na page"), Text("[called look {}]")))
    assert isinstance(turns[2], UserTurn)
    assert turns[2].parts == (Text("[look answered]\nseen"), Attachment("a.png", "image/png", PNG))


def test_a_system_row_is_said_by_the_user() -> None:
    assert projected(NewMessage(role=Role.SYSTEM, parts=(Text("Be brief."),))) == [said("Be brief.")]
