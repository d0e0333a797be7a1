"""Known models, prices and costs."""

import msgspec
import pytest
from tests.providers.routes import TOOLS, assistant, route, user

from perdure.core.message import Effort, File, Reasoning, Source, Text, ToolCall, Usage
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.estimate import MESSAGE_TOKENS, PAGE_TOKENS, PICTURE_TOKENS, estimate, file_tokens, tokens_in
from perdure.providers.model import Model, Price, cost
from perdure.providers.projection.media import Attachment
from perdure.providers.request import ModelRequest, ModelSettings, WebSearch, budget, clamped, named
from perdure.sim.server import Simulator

CATALOG = Catalog.load()


def test_every_known_model_is_described_in_full() -> None:
    for model in CATALOG:
        assert model.dialect in DIALECTS
        assert model.context_window is not None
        assert model.max_output is not None
        assert model.price is not None
        assert 0 < model.max_output <= model.context_window
        assert model.price.cache_read is None or model.price.cache_read < model.price.input < model.price.output


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-4.6", "claude-opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6"),
        ("gpt-5.2-2025-12-11", "gpt-5.2"),
        ("openai/gpt-5.2", "gpt-5.2"),
    ],
)
def test_a_model_is_known_by_its_other_names(name: str, known: str) -> None:
    found, plain = CATALOG.find(name), CATALOG.find(known)
    assert found is not None
    assert plain is not None
    assert (found.id, found.price) == (name, plain.price)


SAMPLING = {"temperature": 0.5, "top_p": 0.9, "top_k": 40, "presence_penalty": 0.1, "frequency_penalty": 0.1}


@pytest.mark.parametrize("known", tuple(CATALOG), ids=lambda model: model.id)
async def test_a_known_model_takes_every_effort_and_whatever_else_is_set(
    sim: Simulator, client: ProviderClient, known: Model
) -> None:
    """The simulator refuses by name what the vendor's model of that name refuses."""
    for effort in (None, *Effort):
        settings = msgspec.convert({**SAMPLING, "effort": effort}, ModelSettings)
        request = ModelRequest(messages=[user("[[say:Hi.]]")], settings=settings, tools=TOOLS, web_search=WebSearch())
        await client.complete(route(sim, known.dialect, model=known), request)
    assert {entry.status for entry in sim.requests} == {200}


def test_an_unknown_model_works_with_what_its_dialect_tells() -> None:
    assert CATALOG.find("my-own") is None
    assert CATALOG.model("my-own", "openai_chat") == Model(id="my-own", dialect="openai_chat")


@pytest.mark.parametrize(
    ("usage", "micro_dollars"),
    [
        (Usage(), 0),
        (Usage(input=1_000_000), 3_000_000),
        (Usage(input=1000, output=500), 10_500),
        (Usage(input=1000, output=500, reasoning=400), 10_500),
        (Usage(input=1000, cache_read=800, cache_write=100), 300 + 240 + 375),
        (Usage(input=1), 3),
        (Usage(input=1, cache_read=1), 0),
        (Usage(input=2, cache_read=2), 1),
    ],
)
def test_a_cost_is_exact_and_rounded_once(usage: Usage, micro_dollars: int) -> None:
    price = Price(input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=3_750_000)
    assert cost(usage, price) == micro_dollars


def test_what_has_no_cache_price_costs_as_fresh() -> None:
    assert cost(Usage(input=100, cache_read=100), Price(input=1_000_000, output=0)) == 100


@pytest.mark.parametrize(
    ("wanted", "given"), [(Effort.NONE, Effort.LOW), (Effort.MEDIUM, Effort.MEDIUM), (Effort.MAX, Effort.HIGH)]
)
def test_effort_is_clamped_to_what_a_model_knows(wanted: Effort, given: Effort) -> None:
    assert clamped(wanted, Model(id="m", dialect="d", min_effort=Effort.LOW, max_effort=Effort.HIGH)) is given


def test_an_effort_that_a_model_lacks_becomes_the_one_below() -> None:
    model = Model(id="m", dialect="d", max_effort=Effort.MAX, lacks=(Effort.XHIGH,))
    assert [clamped(effort, model) for effort in (Effort.XHIGH, Effort.MAX)] == [Effort.HIGH, Effort.MAX]


@pytest.mark.parametrize(("least", "said"), [(Effort.NONE, Effort.LOW), (Effort.MINIMAL, Effort.MINIMAL)])
def test_openai_knows_no_minimum_where_thinking_can_be_off(least: Effort, said: Effort) -> None:
    assert named(Effort.MINIMAL, Model(id="m", dialect="openai_chat", min_effort=least)) is said


@pytest.mark.parametrize(("output", "tokens"), [(32_000, 16_000), (200_000, 65_536), (2_048, 1_024), (2_000, 0)])
def test_thoughts_take_at_most_half_of_the_answer(output: int, tokens: int) -> None:
    assert budget(Effort.MAX, output) == tokens


def test_an_estimate_counts_three_bytes_to_a_token() -> None:
    assert [tokens_in(text) for text in ("", "abc", "abcd", "ü" * 3)] == [0, 1, 2, 2]
    assert estimate([user("x" * 300)]) == 100 + MESSAGE_TOKENS
    assert estimate([], system=["x" * 30], tools=TOOLS) > 10


def test_an_estimate_knows_what_is_not_text() -> None:
    shown = user(File("1", "a.png", "image/png"), File("2", "b.pdf", "application/pdf"))
    assert estimate([shown], files={"1": PICTURE_TOKENS, "2": 70}) == MESSAGE_TOKENS + PICTURE_TOKENS + 70
    unseen = assistant(Source("1", "https://x.test"), Reasoning("unsigned"), Text(""), ToolCall("c", "", ""))
    assert estimate([unseen]) == 2 * MESSAGE_TOKENS


@pytest.mark.parametrize(
    ("sent", "tokens"),
    [
        (Text("ab"), 1),
        (Text("x" * 300), 100),
        (Attachment("a.png", "image/png", b"x" * 1_000_000), PICTURE_TOKENS),
        (Attachment("a.pdf", "application/pdf", b"%PDF"), PAGE_TOKENS),
        (Attachment("a.pdf", "application/pdf", b"/Type /Pages /Type /Page /Type/Page"), 2 * PAGE_TOKENS),
        (Attachment("a.pdf", "application/pdf", b"x" * 1_000_000), 11 * PAGE_TOKENS),
    ],
)
def test_a_file_takes_what_a_model_gets_of_it(sent: Text | Attachment, tokens: int) -> None:
    assert file_tokens(sent) == tokens
