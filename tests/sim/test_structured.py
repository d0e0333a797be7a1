"""Structured answers through the vendors' own helpers: what comes back fits the form that was asked for."""

from enum import StrEnum

import pytest
from anthropic import AsyncAnthropic
from google.genai import Client, types
from openai import AsyncOpenAI
from pydantic import BaseModel

from perdure.sim.demo.forms import fill
from perdure.sim.document import Json


class Mood(StrEnum):
    CALM = "calm"
    BUSY = "busy"


class Note(BaseModel):
    text: str
    stars: int


class Card(BaseModel):
    title: str
    mood: Mood
    notes: list[Note]
    parent: Note | None


ASKED = "Please tell me about the sea and its storms"


def check(card: Card | None) -> None:
    assert card is not None
    assert card.title == "Tell about sea its storms"
    assert card.mood is Mood.CALM


async def test_chat_completions_parses(openai: AsyncOpenAI) -> None:
    completion = await openai.chat.completions.parse(
        model="m", messages=[{"role": "user", "content": ASKED}], response_format=Card
    )
    check(completion.choices[0].message.parsed)


async def test_responses_parses(openai: AsyncOpenAI) -> None:
    check((await openai.responses.parse(model="m", input=ASKED, text_format=Card)).output_parsed)


async def test_anthropic_parses(anthropic: AsyncAnthropic) -> None:
    message = await anthropic.messages.parse(
        model="m", max_tokens=500, messages=[{"role": "user", "content": ASKED}], output_format=Card
    )
    check(message.parsed_output)


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
async def test_gemini_parses(gemini: Client) -> None:
    response = await gemini.aio.models.generate_content(
        model="m",
        contents=ASKED,
        config=types.GenerateContentConfig(
            response_mime_type="application/json", response_json_schema=Card.model_json_schema()
        ),
    )
    check(Card.model_validate_json(response.text or ""))


def test_a_form_that_refers_to_itself_comes_to_an_end() -> None:
    tree: dict[str, Json] = {"type": "object", "properties": {"branch": {"$ref": "#"}}, "required": ["branch"]}
    assert str(fill(tree, {"text": lambda: "leaf"})).count("branch") <= 13


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": 7}, 7),
        ({"enum": ["a", "b"]}, "a"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "integer", "minimum": 4}, 4),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["word", "word"]),
        ({"type": "string", "maxLength": 2}, "wo"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "word"),
    ],
    ids=str,
)
def test_every_kind_of_field_is_filled(schema: Json, expected: Json) -> None:
    form: dict[str, Json] = {"type": "object", "properties": {"field": schema}}
    assert fill(form, {"text": lambda: "word"}) == {"field": expected}
