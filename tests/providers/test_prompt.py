"""Equal prefixes encode to equal bytes, cache marks stand where the provider looks, and a break can be found."""

from typing import Any

import msgspec
import pytest
from tests.providers.routes import MODELS, NAMES, TOOLS, assistant, tool, user

from perdure.core.message import Effort, NewMessage, ToolCall, ToolResult
from perdure.providers.dialects.dialect import PLAIN, Encoded
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.model import Model, Thinking
from perdure.providers.prompt import broken_at
from perdure.providers.request import Continuation, ModelRequest, ModelSettings

STEPS: list[NewMessage] = [
    user("hi"),
    assistant("I look.", ToolCall("c1", "look", "{}")),
    tool(ToolResult("c1", "look", "seen")),
    assistant("Done."),
    user("thanks"),
]


def encoded(dialect: str, count: int, system: tuple[str, ...] = ("Be kind.", "Be brief.")) -> Encoded:
    request = ModelRequest(messages=STEPS[:count], system=system, tools=TOOLS, cache_key="chat-1")
    return DIALECTS[dialect].encode(request, MODELS[dialect], PLAIN)


def body(request: ModelRequest, model: Model) -> dict[str, Any]:
    return msgspec.json.decode(DIALECTS[model.dialect].encode(request, model, PLAIN).body or b"", type=dict[str, Any])


@pytest.mark.parametrize("dialect", NAMES)
def test_the_prefix_holds_from_step_to_step(dialect: str) -> None:
    assert broken_at(encoded(dialect, 1).block_hashes, encoded(dialect, 3).block_hashes) is None
    assert broken_at(encoded(dialect, 3).block_hashes, encoded(dialect, 5).block_hashes) is None
    assert encoded(dialect, 5).body == encoded(dialect, 5).body


@pytest.mark.parametrize("dialect", NAMES)
def test_a_changed_system_text_is_where_the_cache_broke(dialect: str) -> None:
    before, now = encoded(dialect, 3), encoded(dialect, 3, ("Be kind.", "Be wordy."))
    joined = dialect == "openai_chat"
    assert broken_at(before.block_hashes, now.block_hashes) == (1 if joined else 2)


def test_a_shorter_prompt_breaks_where_it_ends() -> None:
    assert broken_at(["a", "b"], ["a"]) == 1
    assert broken_at([], ["a"]) is None


def test_anthropic_marks_the_system_and_the_last_two_messages() -> None:
    sent = msgspec.json.decode(encoded("anthropic_messages", 5).body or b"", type=dict[str, Any])
    assert ["cache_control" in block for block in sent["system"]] == [False, True]
    assert not any("cache_control" in block for block in sent["tools"])
    marks = ["cache_control" in message["content"][-1] for message in sent["messages"]]
    assert marks == [False, False, False, True, True]


def test_anthropic_marks_the_tools_where_there_is_no_system_text() -> None:
    sent = msgspec.json.decode(encoded("anthropic_messages", 1, ()).body or b"", type=dict[str, Any])
    assert ["cache_control" in block for block in sent["tools"]] == [False, True]


@pytest.mark.parametrize("dialect", ["openai_responses", "openai_chat"])
def test_openai_caches_by_chat(dialect: str) -> None:
    assert msgspec.json.decode(encoded(dialect, 1).body or b"", type=dict[str, Any])["prompt_cache_key"] == "chat-1"


EFFORTS = {
    ("anthropic_messages", Thinking.BUDGET): ("thinking", {"type": "enabled", "budget_tokens": 16_000}),
    ("anthropic_messages", Thinking.ADAPTIVE): ("output_config", {"effort": "high"}),
    ("anthropic_messages", Thinking.EFFORT): ("output_config", {"effort": "high"}),
    ("anthropic_messages", Thinking.NONE): ("thinking", None),
    ("openai_responses", Thinking.EFFORT): ("reasoning", {"effort": "high", "summary": "auto"}),
    ("openai_responses", Thinking.NONE): ("reasoning", None),
    ("openai_chat", Thinking.EFFORT): ("reasoning_effort", "high"),
    ("openai_chat", Thinking.NONE): ("reasoning_effort", None),
}


@pytest.mark.parametrize(("dialect", "thinking"), EFFORTS)
def test_effort_is_clamped_and_said_in_the_models_words(dialect: str, thinking: Thinking) -> None:
    model = Model(id="m", dialect=dialect, thinking=thinking, max_effort=Effort.HIGH)
    request = ModelRequest(messages=[user("hi")], settings=ModelSettings(effort=Effort.MAX))
    field, value = EFFORTS[dialect, thinking]
    assert body(request, model).get(field) == value


@pytest.mark.parametrize(
    ("thinking", "effort", "config"),
    [
        (Thinking.EFFORT, Effort.LOW, {"includeThoughts": True, "thinkingLevel": "LOW"}),
        (Thinking.EFFORT, Effort.MAX, {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        (Thinking.BUDGET, Effort.NONE, {"includeThoughts": False, "thinkingBudget": 0}),
        (Thinking.BUDGET, Effort.LOW, {"includeThoughts": True, "thinkingBudget": 4096}),
        (Thinking.EFFORT, None, {"includeThoughts": True}),
    ],
)
def test_gemini_thinks_by_level_or_by_budget(thinking: Thinking, effort: Effort | None, config: object) -> None:
    model = Model(id="m", dialect="gemini", thinking=thinking)
    request = ModelRequest(messages=[user("hi")], settings=ModelSettings(effort=effort))
    assert body(request, model)["generationConfig"]["thinkingConfig"] == config


def test_a_model_that_always_thinks_is_never_told_not_to() -> None:
    model = Model(
        id="m",
        dialect="anthropic_messages",
        thinking=Thinking.ADAPTIVE,
        min_effort=Effort.LOW,
        sampling=False,
        binds_thinking=True,
    )
    settings = ModelSettings(effort=Effort.NONE, temperature=0.3)
    request = ModelRequest(messages=[user("hi")], settings=settings)
    sent = body(request, model)
    assert sent["thinking"]["type"] == "adaptive"
    assert sent["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
    assert sent["output_config"] == {"effort": "low"}
    assert "temperature" not in sent
    assert "anthropic-beta" in DIALECTS["anthropic_messages"].encode(request, model, PLAIN).headers


def test_options_join_what_the_dialect_says() -> None:
    settings = ModelSettings(options={"text": {"verbosity": "low"}, "service_tier": "flex"})
    request = ModelRequest(messages=[user("hi")], settings=settings, output_schema={"type": "object"})
    sent = body(request, MODELS["openai_responses"])
    assert sent["service_tier"] == "flex"
    assert set(sent["text"]) == {"format", "verbosity"}


def test_an_option_that_is_null_leaves_a_field_out() -> None:
    settings = ModelSettings(options={"reasoning": {"summary": None}, "prompt_cache_key": None}, effort=Effort.LOW)
    sent = body(ModelRequest(messages=[user("hi")], settings=settings, cache_key="chat"), MODELS["openai_responses"])
    assert sent["reasoning"] == {"effort": "low"}
    assert "prompt_cache_key" not in sent


def test_a_chain_names_the_response_before_and_asks_to_be_stored() -> None:
    chain = Continuation(store=True, previous_response_id="resp_1")
    sent = body(ModelRequest(messages=[user("more")], continuation=chain), MODELS["openai_responses"])
    assert (sent["store"], sent["previous_response_id"], len(sent["input"])) == (True, "resp_1", 1)
    alone = body(ModelRequest(messages=[user("more")]), MODELS["openai_responses"])
    assert (alone["store"], alone["include"]) == (False, ["reasoning.encrypted_content"])
    assert "previous_response_id" not in alone
