"""The tools of a chat that plans, and the one file that it may write."""

from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Meta, Struct

from perdure.core.errors import WorkspaceRefused
from perdure.core.ids import ChatId, FileId
from perdure.tools.call import CallContext, Mode, NewFile, ToolFailed, ToolOutput
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.tools.workspaces import workspace

PLAN_BYTES = 32 * 1024
PROPOSED = "The plan is with the user, who decides whether it is carried out."
ASKED = "The user sees the questions. Their answer is the next message."


def plan_path(chat_id: ChatId) -> str:
    return f"~/.perdure/plans/PLAN-{chat_id}.md"


def through_links(ctx: CallContext, *paths: str) -> bool:
    """Whether a write may follow symbolic links. While the chat plans it may not, and only its plan may be written."""
    if ctx.mode is not Mode.PLAN:
        return True
    allowed = plan_path(ctx.key.chat_id)
    if any(path != allowed for path in paths):
        raise ToolFailed(f"The chat is in plan mode. Only its plan can be written, at {allowed}.")
    return False


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


@tool(Effect.READS, modes=frozenset({Mode.PLAN}), stop_after=True)
async def propose_plan(
    ctx: ToolContext,
    title: Annotated[str, Meta(min_length=1, max_length=200, description="A few words.")],
    plan: Annotated[str | None, Meta(description="In Markdown. Left out, the plan file is proposed.")] = None,
) -> ToolOutput:
    """Show the user your plan. Your turn ends with it; the user says whether it is carried out."""
    content = await _written(ctx) if plan is None else plan
    data = content.encode(errors="replace")
    if not content.strip():
        raise ToolFailed("The plan is empty. Say what is to be done, then propose it.")
    if len(data) > PLAN_BYTES:
        raise ToolFailed(f"The plan has {len(data)} bytes; at most {PLAN_BYTES} are shown. Shorten it.")
    file = NewFile(FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/plan")), "plan.md", "text/markdown", data)
    said = PROPOSED if plan is not None else msgspec.json.encode({"title": title, "plan": content}).decode()
    return ToolOutput(said, files=(file,))


async def _written(ctx: ToolContext) -> str:
    """What the plan file says."""
    path = plan_path(ctx.key.chat_id)
    try:
        found = await (await workspace(ctx)).files.content(path, PLAN_BYTES + 1)
    except WorkspaceRefused as error:
        raise ToolFailed(f"There is no plan to propose: {error} Give it as an argument, or write {path}.") from error
    return found.decode(errors="replace")
