"""A model as a provider serves it: its name on the wire, what it can take, and what an answer of it costs."""

from enum import StrEnum

from msgspec import Struct

from perdure.core.message import Effort, Usage


class Thinking(StrEnum):
    """How a model is told to reason."""

    NONE = "none"
    EFFORT = "effort"
    """A named level is enough."""
    BUDGET = "budget"
    """It wants a number of tokens."""
    ADAPTIVE = "adaptive"
    """It decides by itself how long; a level says how eagerly."""


class Price(Struct, frozen=True):
    """Micro-dollars per million tokens."""

    input: int
    output: int
    cache_read: int | None = None
    cache_write: int | None = None


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a model. The defaults are safe for one that nobody described."""

    id: str
    dialect: str
    context_window: int | None = None
    max_output: int | None = None
    thinking: Thinking = Thinking.NONE
    min_effort: Effort = Effort.NONE
    max_effort: Effort = Effort.HIGH
    lacks: tuple[Effort, ...] = ()
    """Efforts between its least and its most that it does not know."""
    images: bool = True
    documents: bool = False
    """Whether it reads PDFs."""
    tools: bool = True
    computer: bool = False
    """Whether it uses screens with its provider's own tool."""
    screen_toolset: bool = False
    """Whether that is Anthropic's set of tools, with a member to each action, instead of the one tool before it."""
    sampling: bool = True
    """Whether temperature and its kin may be set."""
    binds_thinking: bool = False
    """Whether thoughts are void once anything before them has changed, as after a compaction."""
    price: Price | None = None


MILLION = 1_000_000


def cost(usage: Usage, price: Price) -> int:
    """Micro-dollars, rounded half up once, at the end. What a price does not name costs as fresh input."""
    read_price = price.input if price.cache_read is None else price.cache_read
    write_price = price.input if price.cache_write is None else price.cache_write
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    whole = (
        fresh * price.input
        + usage.cache_read * read_price
        + usage.cache_write * write_price
        + usage.output * price.output
    )
    return (whole + MILLION // 2) // MILLION
