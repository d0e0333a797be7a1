"""Functions as tools: what the model is told, what it may call them with, what comes back."""

from typing import Annotated, Any

from msgspec import Struct

from perdure.client import tool


class Place(Struct):
    city: str
    country: str = "NO"


@tool
def weather(place: Place, days: Annotated[int, "How many days ahead."] = 1) -> dict[str, Any]:
    """What the weather will be."""
    return {"city": place.city, "days": days}


@tool
async def nothing() -> None:
    """Does nothing."""


@tool
def broken(text: str) -> str:
    raise ValueError(f"no {text}")


def test_the_signature_is_the_schema() -> None:
    assert weather.declared["name"] == "weather"
    assert weather.description == "What the weather will be."
    assert weather.schema["required"] == ["place"]
    assert weather.schema["properties"]["days"] == {
        "type": "integer",
        "description": "How many days ahead.",
        "default": 1,
    }
    assert set(weather.schema["$defs"]) == {"Place"}
    assert nothing.schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


async def test_arguments_are_checked_and_defaults_filled_in() -> None:
    assert await weather.call('{"place":{"city":"Oslo"}}') == ({"city": "Oslo", "days": 1}, False)
    output, wrong = await weather.call('{"place":{"city":1}}')
    assert wrong
    assert "$.place.city" in output
    assert await nothing.call("") == (None, False)


async def test_what_a_tool_does_wrong_is_told_to_the_model() -> None:
    assert await broken.call('{"text":"bread"}') == ("ValueError: no bread", True)
