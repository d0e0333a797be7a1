"""What the configuration, the workspace and its skills add to prompts, and the rules that are set for turns.

The bytes of these texts stay while nothing is pinned anew.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from perdure.agent.decision import Policy
from perdure.agent.prepare import Limits, Rules
from perdure.agent.prompt import PromptContext
from perdure.agent.toolset import mode_of
from perdure.config.config import Config
from perdure.config.settings import Approval, Experiment
from perdure.core.card import Card
from perdure.core.text import normalised
from perdure.tools.call import Mode
from perdure.tools.skill_sources import Asker, Skill, Skills
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.wire import ContextFile, ContextSnapshot

INSTRUCTION_CHARACTERS = 128 * 1024
INTRODUCTION = "These files of the workspace say how to work in it. Follow them unless the user says otherwise."
WITH_WORKSPACE = (
    "This chat has a workspace: a directory of its own with files, a shell and processes, which outlives the "
    "conversation. Tools act there, and paths are relative to its root. One that was stopped starts again on use."
)
WITHOUT_WORKSPACE = (
    "This chat has no workspace yet. Files, searches and commands need one: call create_workspace when the work needs "
    "them, and not before."
)
INDEX = "There are skills for some kinds of work. Before you begin with one of these, read its skill with read_skill:"


def _place(card: Card, *, has_workspace: bool) -> str | None:
    """Where the agent stands. One that cannot make a workspace is not told of any."""
    if has_workspace:
        return WITH_WORKSPACE
    return WITHOUT_WORKSPACE if mode_of(card) is Mode.ROOT else None


class ConfiguredSources:
    """Reads prompts and rules from the cache of the configuration."""

    def __init__(
        self, config: Config, contexts: Contexts, skills: Skills, memories: Callable[[Card], Awaitable[str | None]]
    ) -> None:
        self._config = config
        self._contexts = contexts
        self._skills = skills
        self._memories = memories

    async def context(self, card: Card) -> PromptContext:
        asker = Asker.of_card(card)
        snapshot: ContextSnapshot | None = None
        if asker.has_workspace:
            snapshot = await self._contexts.pinned(asker.chat_id, asker.home, turns=card.turns)
        personal = await self._config.personal(card.asker)
        settings = await self._config.settings(card.organisation_id)
        return PromptContext(
            place=_place(card, has_workspace=snapshot is not None),
            workspace=instructions(snapshot) if snapshot else None,
            skills=skill_index(await self._skills.index(asker)),
            instructions=normalised(personal.settings.prompt) or None,
            memories=await self._memories(card),
            plan=normalised(settings.plan_instructions) or None,
        )

    async def rules(self, card: Card) -> Rules:
        return await configured_rules(self._config, card)


async def configured_rules(config: Config, card: Card) -> Rules:
    """What the organisation and whoever asks have settled."""
    settings = await config.settings(card.organisation_id)
    personal = (await config.personal(card.asker)).settings.approvals
    if card.asker != card.owner_id:
        # In a chat of somebody else, one's own word binds oneself more, and nobody less.
        owner = (await config.personal(card.owner_id)).settings.approvals
        personal = _stricter({**settings.approvals, **owner}, {**settings.approvals, **personal})
    policies = {**settings.approvals, **personal}
    return Rules(
        step_limit=settings.step_limit,
        policies={tool: Policy(policy.value) for tool, policy in policies.items()},
        forbidden=frozenset(tool for tool, policy in settings.approvals.items() if policy is Approval.DENY),
        summary_model=settings.compaction_model,
        tool_search=Experiment.MCP_TOOL_SEARCH in settings.experiments,
        title_model=settings.title_model,
        approvers=settings.approvers,
        limits=Limits(
            user=settings.budgets.of(card.asker),
            organisation=settings.budgets.organisation,
        ),
    )


def _stricter(one: Mapping[str, Approval], other: Mapping[str, Approval]) -> dict[str, Approval]:
    order = list(Approval)
    return {
        tool: max(one.get(tool, Approval.AUTO), other.get(tool, Approval.AUTO), key=order.index)
        for tool in {**one, **other}
    }


def instructions(snapshot: ContextSnapshot) -> str | None:
    """AGENTS.md and friends with their paths; the same text under two names once."""
    distinct: dict[str, ContextFile] = {}
    for file in snapshot.files:
        if file.content.strip():
            distinct.setdefault(file.sha256, file)
    blocks: list[str] = []
    room = INSTRUCTION_CHARACTERS
    for file in distinct.values():
        block = _block(file, room)
        room -= len(block)
        blocks.append(block)
    return "\n\n".join((INTRODUCTION, *blocks)) if blocks else None


def _block(file: ContextFile, room: int) -> str:
    text = normalised(file.content)[: max(0, room)]
    cut = file.truncated or len(text) < len(normalised(file.content))
    more = "\n[There is more: read_file shows it.]" if cut else ""
    return f'<file path="{file.path}">\n{text}{more}\n</file>'


def skill_index(skills: Sequence[Skill]) -> str | None:
    """One line a skill."""
    lines = [f"- {skill.name}: {' '.join(normalised(skill.description).split())}" for skill in skills]
    return "\n".join((INDEX, *lines)) if lines else None
