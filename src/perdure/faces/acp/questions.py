"""What an agent asks its user in a call, as a form that an editor shows; and the form, as what the user says."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from perdure.core.message import Message, ToolCall

ASKING = "ask_user_question"
OTHER = "Something else"
"""What is written there counts instead of an option."""


def questions_in(message: Message) -> list[dict[str, Any]]:
    """The questions that an answer ends with."""
    calls = [part for part in message.parts if isinstance(part, ToolCall) and part.tool == ASKING]
    return [question for call in calls for question in _questions(call.args)]


def question_form(asked: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A field with options for each question, and one for words of the user's own."""
    fields: dict[str, Any] = {}
    for number, question in enumerate(asked, 1):
        options = [{"const": option["label"], "title": _titled(option)} for option in question["options"]]
        fields[f"answer_{number}"] = {"type": "string", "title": question["question"], "oneOf": options}
        fields[f"other_{number}"] = {"type": "string", "title": OTHER}
    return {"type": "object", "properties": fields, "required": []}


def answered_form(asked: Sequence[Mapping[str, Any]], content: Mapping[str, Any]) -> str:
    """The answers as the user would say them; nothing where they left all of it blank."""
    said: list[str] = []
    for number, question in enumerate(asked, 1):
        answers = (content.get(f"{name}_{number}") for name in ("other", "answer"))
        if answer := next((text for each in answers if (text := str(each or "").strip())), ""):
            said.append(f"{question['question']}\n{answer}" if len(asked) > 1 else answer)
    return "\n\n".join(said)


def _titled(option: Mapping[str, Any]) -> str:
    return f"{option['label']}: {option['description']}" if option.get("description") else str(option["label"])


def _questions(args: str) -> list[dict[str, Any]]:
    """What the call asks, where it asks anything: a model may write anything."""
    try:
        given = msgspec.json.decode(args or "{}", type=_Asked)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
    return [msgspec.to_builtins(question) for question in given.questions]


class _Option(msgspec.Struct, frozen=True):
    label: str
    description: str = ""


class _Question(msgspec.Struct, frozen=True):
    question: str
    options: tuple[_Option, ...]


class _Asked(msgspec.Struct, frozen=True):
    questions: tuple[_Question, ...]
