"""Everything a model is told besides the history, in a fixed order and byte-stable from step to step."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.agent.history import History
from perdure.agent.toolset import Toolset
from perdure.core.message import Text
from perdure.tools.advisor import GUIDANCE, advisor
from perdure.tools.call import Mode
from perdure.tools.plans import plan_path

PLAN_OVERLAY = (
    "You are in plan mode. Read, search and run commands that only look; nothing can be changed but your plan, at "
    "{plan}. Where only the user can decide, call ask_user_question. When you know what to do, call propose_plan. The "
    "plan is carried out only after the user agrees."
)
EXPLORE_OVERLAY = (
    "You explore on behalf of another agent. Read and search only; change nothing. Finish with a report that stands "
    "on its own: what you found, where, and what is uncertain."
)
CHILD_OVERLAY = (
    "You work on behalf of another agent, which reads only your last message. Do what it asks, then report what you "
    "did, what you found and what is left."
)

_OVERLAYS = {Mode.PLAN: PLAN_OVERLAY, Mode.EXPLORE: EXPLORE_OVERLAY, Mode.CHILD: CHILD_OVERLAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """What the configuration and the workspace add to a prompt."""

    place: str | None = None
    """Whether there is a workspace, and what that means."""
    workspace: str | None = None
    skills: str | None = None
    instructions: str | None = None
    memories: str | None = None
    """What is kept from earlier chats."""
    plan: str | None = None
    """What the deployment adds to plan mode."""


def system_blocks(history: History, toolset: Toolset, context: PromptContext) -> tuple[str, ...]:
    """The system prompt: frozen rows first, then what the turn adds."""
    mode = toolset.mode
    frozen = ["".join(part.text for part in m.parts if isinstance(part, Text)) for m in history.system]
    child = _OVERLAYS[mode] if mode is Mode.CHILD else None
    overlay = _OVERLAYS.get(mode, "").format(plan=plan_path(history.card.id)) if mode is not Mode.CHILD else None
    plan = context.plan if mode is Mode.PLAN else None
    added: Sequence[str | None] = (
        context.place,
        child,
        context.workspace,
        context.skills,
        context.instructions,
        context.memories,
        overlay,
        plan,
        GUIDANCE if advisor.name in toolset.ours else None,
    )
    return tuple(block for block in (*frozen, *added) if block)
