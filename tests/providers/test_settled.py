"""A prompt that is encoded bit by bit, as its chat grows, is the one that is encoded at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.providers.routes import MODELS, NAMES, TOOLS, assistant, tool, user
from tests.providers.transcripts import FILES, TRANSCRIPTS

from perdure.core.message import Effort, NewMessage, ProviderMetadata, Reasoning, ToolCall, ToolResult
from perdure.providers.dialects.dialect import PLAIN, Encoded
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.model import Thinking
from perdure.providers.prompt import Settled
from perdure.providers.request import ModelRequest, ModelSettings

# Without the one that takes a second to be made smaller.
SMALL = {name: content for name, content in FILES.items() if name != "big"}
LONG = [user("hi"), *(message for n in range(20) for message in (assistant(f"answer {n}"), user(f"question {n}")))]
STEPS = [
    user("work"),
    *(
        message
        for n in range(20)
        for message in (
            assistant(Reasoning("Hm."), ToolCall(f"c{n}", "look", "{}")),
            tool(ToolResult(f"c{n}", "look", "seen")),
        )
    ),
]


def encoded(messages: list[NewMessage], dialect: str, settled: Settled | None) -> Encoded:
    request = ModelRequest(
        messages=tuple(messages),
        system=("Be kind.",),
        tools=TOOLS,
        files=SMALL,
        settings=ModelSettings(effort=Effort.HIGH),
        settled=settled,
    )
    return DIALECTS[dialect].encode(request, MODELS[dialect], PLAIN)


@pytest.mark.parametrize("dialect", NAMES)
@settings(deadline=None, max_examples=60)
@given(names=st.lists(st.sampled_from(sorted(TRANSCRIPTS)), min_size=1, max_size=5), data=st.data())
def test_growing_and_at_once_are_the_same_bytes(dialect: str, names: list[str], data: st.DataObject) -> None:
    whole = [message for name in names for message in TRANSCRIPTS[name]]
    asked = data.draw(st.sets(st.integers(0, len(whole)), min_size=1, max_size=6))
    settled = Settled()
    for count in sorted(asked):
        assert encoded(whole[:count], dialect, settled) == encoded(whole[:count], dialect, None)


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("messages", [LONG, STEPS], ids=["turns", "steps"])
def test_all_but_the_newest_exchanges_are_settled(dialect: str, messages: list[NewMessage]) -> None:
    settled = Settled()
    for count in range(1, len(messages) + 1):
        assert encoded(messages[:count], dialect, settled) == encoded(messages[:count], dialect, None)
        assert count - len(settled.messages) <= 5


@pytest.mark.parametrize("dialect", NAMES)
def test_what_is_settled_is_not_encoded_again(dialect: str) -> None:
    settled = Settled()
    before = encoded(LONG, dialect, settled)
    # Only what is remembered can hold this: whoever encodes the messages anew does not know of it.
    settled.body = settled.body.replace(b"answer 3", b"ANSWER 3")
    after = encoded([*LONG, assistant("more"), user("still more")], dialect, settled)
    assert b"answer 3" in (before.body or b"")
    assert b"ANSWER 3" in (after.body or b"")


@pytest.mark.parametrize("dialect", NAMES)
def test_another_beginning_is_encoded_anew(dialect: str) -> None:
    settled = Settled()
    encoded(LONG, dialect, settled)
    edited = [user("hello"), *LONG[1:]]
    assert encoded(edited, dialect, settled) == encoded(edited, dialect, None)
    assert settled.messages[0] == edited[0]


def test_another_model_reads_its_own_encoding() -> None:
    settled = Settled()
    for dialect in (*NAMES, *NAMES):
        assert encoded(STEPS, dialect, settled) == encoded(STEPS, dialect, None)


@pytest.mark.parametrize("thought", [True, False])
def test_whether_an_exchange_began_with_a_thought_is_known_when_its_beginning_is_settled(*, thought: bool) -> None:
    model = structs.replace(MODELS["anthropic_messages"], thinking=Thinking.BUDGET)
    signed = Reasoning("Hm.", provider_metadata=ProviderMetadata(model.dialect, model.id, {"signature": "x"}))
    begun = assistant(*([signed] if thought else []), ToolCall("c0", "look", "{}"))
    messages = [STEPS[0], begun, *STEPS[2:]]
    settled, effort = Settled(), ModelSettings(effort=Effort.HIGH)
    for count in range(3, len(messages) + 1, 2):
        asked = ModelRequest(messages=tuple(messages[:count]), tools=TOOLS, settings=effort, settled=settled)
        body = DIALECTS["anthropic_messages"].encode(asked, model, PLAIN).body or b""
        assert (b'"thinking":{"type":"enabled"' in body) == thought
    assert settled.messages
