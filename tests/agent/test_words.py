"""Asking for a chat's title leaves room for the answer, whatever the model must think first."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.providers.routes import route

from perdure.agent.models import ResolvedModel
from perdure.agent.words import describe
from perdure.core.clock import SystemClock
from perdure.core.ids import MessageNumber, ModelName
from perdure.core.message import Effort, Message, Role
from perdure.core.parts import Text
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.request import ModelSettings
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
    assert found.words.title
    assert {field: body[field] for field in sent} == sent
