"""The tool `advisor`: a second opinion from a model that can only answer. It is offered where the admin says so."""

from typing import Annotated

from msgspec import Meta, Struct

from perdure.core.message import Usage
from perdure.tools.call import Mode, ToolOutput
from perdure.tools.tool import ADVISOR, Effect, ToolContext, tool

QUESTION_LENGTH = 2_000
GUIDANCE = (
    "<advisor-guidance>\n"
    "Before a decision that is hard to take back, or when you are stuck, ask the advisor. It sees the recent "
    "conversation and answers you, not the user; it changes nothing and has done nothing. Call it by itself, with one "
    "question. What it says is advice: weigh it, then go on yourself.\n"
    "</advisor-guidance>"
)


class Advice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the advisor said: advice, limit_reached or error."""

    type: str
    model: str | None = None
    advice: str | None = None
    error: str | None = None
    remaining_uses: int | None = None
    """How often it may still be asked in this turn; absent where nobody counts."""
    usage: Usage | None = None


@tool(Effect.READS, modes=frozenset({Mode.ROOT}), exclusive=True, needs=ADVISOR)
async def advisor(
    ctx: ToolContext,
    question: Annotated[str, Meta(max_length=QUESTION_LENGTH, description="What you want to know, in one question.")],
) -> ToolOutput:
    """Ask a model that sees the recent conversation for advice. Call it alone."""
    return await ctx.services.advisor.advise(ctx, question)
