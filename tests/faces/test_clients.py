"""The clients that people have, from the registries: they talk to a replica and get what they would get elsewhere."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openai import AsyncOpenAI

from perdure.agent.prepare import Policy, Rules
from perdure.testing.replica import InProcessReplica

PROGRAM = Path(__file__).parents[1] / "peers" / "clients.mjs"
CALLED = {"text": "It rains.", "steps": 2, "streamed": "I look.It rains."}
WANTED: dict[str, Any] = {
    "compatible": CALLED,
    "responses": CALLED,
    "openai": ["ne", " two", " three."],
    "useChat": {
        "first": ["Hm.", "I look.", "output-error", "Nothing there."],
        "second": ["Again."],
        "resumed": None,
    },
    "approval": {
        "first": ["Hm.", "I look.", "approval-requested"],
        "second": ["Hm.", "I look.", "output-error", "Nothing there."],
        "same": True,
    },
    "agUi": {
        "last": "It rains.",
        "restored": [*("user", "assistant", "tool", "assistant"), *("user", "assistant", "tool", "assistant")],
    },
}


@pytest.mark.parametrize("name", WANTED)
async def test_a_client_gets_what_it_expects(
    name: str, replica: InProcessReplica, url: str, openai: AsyncOpenAI
) -> None:
    if name == "approval":
        replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    command = ("node", str(PROGRAM), name, url, openai.api_key)
    program = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await program.communicate()
    assert msgspec.json.decode(told) == WANTED[name]
    # Whole and streamed are two conversations that begin alike; everything else is one chat.
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == (2 if WANTED[name] is CALLED else 1)
