"""Asking for a chat's title: what is shown of a long one, and room for the answer, whatever is thought first."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.providers.routes import MODELS, route
from tests.providers.servers import Canned, answer

from perdure.agent.describing import describe, fallback_label, report_summary
from perdure.agent.models import ResolvedModel
from perdure.core.ids import MessageNumber, ModelName
from perdure.core.message import Effort, Message, Role, Text
from perdure.core.timing import SystemClock
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.request import ModelSettings
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service
from perdure.sim.server import Simulator

ASKED = Text("How do I sort a list?")


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("claude-opus-5", {"max_tokens": 400, "thinking": {"type": "disabled"}}),
        ("claude-opus-5-5", {"max_tokens": 2_400}),
        ("gpt-5.2", {"max_output_tokens": 400, "reasoning": {"effort": "none", "summary": "auto"}}),
        ("gpt-6.1-sol", {"max_output_tokens": 2_400, "reasoning": {"effort": "low", "summary": "auto"}}),
    ],
)
async def test_a_model_thinks_as_little_as_it_can(name: str, sent: dict[str, Any]) -> None:
    known = Catalog.load().find(name)
    assert known is not None
    said = Message(role=Role.USER, parts=(ASKED,), number=MessageNumber(1), revision=1, created_at=datetime.now(UTC))
    async with Simulator() as sim, ProviderClient(SystemClock()) as client:
        way = route(sim, known.dialect, model=known)
        model = ResolvedModel(name=ModelName(name), route=way, settings=ModelSettings(effort=Effort.HIGH))
        found = await describe(client, model, [said])
        body = msgspec.json.decode(sim.requests[-1].body, type=dict[str, Any])
    assert found.description.title
    assert {field: body[field] for field in sent} == sent


def said(number: int, text: str) -> Message:
    role = Role.USER if number % 2 else Role.ASSISTANT
    number_, parts = MessageNumber(number), (Text(text),)
    return Message(role=role, parts=parts, number=number_, revision=1, created_at=datetime.now(UTC))


async def shown(messages: Sequence[Message]) -> str:
    """What a model is told of the conversation."""
    known = Catalog.load().model("claude-opus-5", "anthropic_messages")
    async with Simulator() as sim, ProviderClient(SystemClock()) as client:
        way = route(sim, known.dialect, model=known)
        await describe(client, ResolvedModel(name=ModelName("m"), route=way, settings=ModelSettings()), messages)
        body = msgspec.json.decode(sim.requests[-1].body, type=dict[str, Any])
    return body["messages"][0]["content"][0]["text"]


DESCRIBED = '{"title": "Sorting", "label": "Sorted a list", "summary": "A list was sorted."}'


@pytest.mark.parametrize(
    ("answer_text", "title", "label"),
    [
        (DESCRIBED, "Sorting", "Sorted a list"),
        (f"Here it is:\n```json\n{DESCRIBED}\n```", "Sorting", "Sorted a list"),
        ('{"x":' * 50_000 + "1" + "}" * 50_000, "", "one"),
        ("}{", "", "one"),
        ("", "", "one"),
    ],
)
async def test_whatever_a_model_answers_there_is_a_label(answer_text: str, title: str, label: str) -> None:
    chunk = {"choices": [{"delta": {"content": answer_text}, "finish_reason": "stop"}]}
    async with (
        Canned(answer(b"data: " + msgspec.json.encode(chunk) + b"\n\n")) as server,
        ProviderClient(SystemClock()) as client,
    ):
        settings = ProviderSettings(service=Service.COMPATIBLE, base_url=server.url)
        way = Route.to(settings, MODELS["openai_chat"], None)
        model = ResolvedModel(name=ModelName("m"), route=way, settings=ModelSettings())
        found = (await describe(client, model, [said(1, "one")])).description
    assert (found.title, found.label) == (title, label)


async def test_a_short_conversation_is_shown_whole() -> None:
    told = await shown([said(1, "one"), said(2, ""), said(3, "three"), said(4, "four")])
    assert told == "<conversation>\nuser: one\n\nuser: three\n\nassistant: four\n</conversation>"


@pytest.mark.parametrize("letter", ["x", "ü", "語"])
async def test_of_a_long_one_the_beginning_and_the_end_are_shown(letter: str) -> None:
    words = [f"number{number} {letter * 40}" for number in range(1, 401)]
    told = await shown([said(number, text) for number, text in enumerate(words, 1)])
    start, end = told.split("\n\n[…]\n\n")
    assert start.startswith(f"<conversation>\nuser: {words[0]}\n\nassistant: {words[1]}\n\n")
    assert end.endswith(f"user: {words[-2]}\n\nassistant: {words[-1]}\n</conversation>")
    assert 5_900 < len(told.encode()) < 6_100


async def test_what_lies_between_is_not_looked_at() -> None:
    class Watched(list[Message]):
        looked = 0

        def __iter__(self) -> Iterator[Message]:
            return self._counted(super().__iter__())

        def __reversed__(self) -> Iterator[Message]:
            return self._counted(super().__reversed__())

        def _counted(self, messages: Iterator[Message]) -> Iterator[Message]:
            for message in messages:
                self.looked += 1
                yield message

    messages = Watched(said(number, "a" * 200) for number in range(1, 2_001))
    await shown(messages)
    assert messages.looked < 60


async def test_what_was_added_for_the_model_alone_is_not_shown() -> None:
    asked = msgspec.structs.replace(said(1, "one"), parts=(Text("one"), Text("the secret", model_only=True)))
    assert await shown([asked]) == "<conversation>\nuser: one\n</conversation>"
    assert fallback_label([asked]) == "one"


@pytest.mark.parametrize(
    ("report", "summary"),
    [
        ("All is well.\n\nMore.", "All is well."),
        ("# Report\n\nAll is well.\n\nMore.", "All is well."),
        ("# Report\n## Findings\nAll is\nwell.", "All is well."),
        ("**Report**\n\n---\n\nFindings:\n\nAll is well.", "All is well."),
        ("Here is what I found:\n- one\n- two", "- one - two"),
        ("# Report", "# Report"),
        ("", ""),
    ],
)
def test_an_agents_summary_is_more_than_a_heading(report: str, summary: str) -> None:
    assert report_summary([said(1, "look"), said(2, report)]) == summary
