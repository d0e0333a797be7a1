"""The tool `ask_user_question`."""

from typing import Annotated

from msgspec import Meta, Struct

from perdure.tools.call import Mode, ToolFailed
from perdure.tools.tool import Effect, ToolContext, tool

ASKED = "The user sees the questions. Their answer is the next message."


class Option(Struct, frozen=True, forbid_unknown_fields=True):
    label: Annotated[str, Meta(min_length=1, max_length=200, description="What the user answers by choosing it.")]
    description: Annotated[str, Meta(max_length=1_000, description="What it would mean.")] = ""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    question: Annotated[str, Meta(min_length=1, max_length=2_000)]
    options: Annotated[list[Option], Meta(min_length=2, max_length=4, description="Different from each other.")]


@tool(Effect.READS, modes=frozenset({Mode.PLAN}), stop_after=True)
async def ask_user_question(
    ctx: ToolContext,  # noqa: ARG001
    questions: Annotated[list[Question], Meta(min_length=1, max_length=4, description="What you need to know.")],
) -> str:
    """Ask the user, with options to choose from; they may also answer in words. Your turn ends with it."""
    for asked in questions:
        labels = [option.label.strip() for option in asked.options]
        if not asked.question.strip() or not all(labels) or len(set(labels)) < len(labels):
            raise ToolFailed("A question or an option is blank, or two options are the same. Ask again.")
    return ASKED
