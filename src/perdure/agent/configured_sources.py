"""What the configuration adds to prompts, and the rules that it sets for turns."""

from perdure.agent.decide import Policy
from perdure.agent.prepare import Limits, Rules
from perdure.agent.prompt import Surroundings
from perdure.agent.surroundings import WITH_WORKSPACE, WITHOUT_WORKSPACE, instructions, skill_index
from perdure.agent.toolset import mode_of
from perdure.config.config import Config
from perdure.config.settings import Approval, Experiment
from perdure.core.card import Card
from perdure.core.text import normalised
from perdure.tools.call import Mode
from perdure.tools.skills import Asker, Skills
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.wire import ContextSnapshot


def _place(card: Card, *, has_workspace: bool) -> str | None:
    """Where the agent stands. One that cannot make a workspace is not told of any."""
    if has_workspace:
        return WITH_WORKSPACE
    return WITHOUT_WORKSPACE if mode_of(card) is Mode.ROOT else None


class ConfiguredSources:
    """Reads prompts and rules from the cache of the configuration."""

    def __init__(self, config: Config, contexts: Contexts, skills: Skills) -> None:
        self._config = config
        self._contexts = contexts
        self._skills = skills

    async def surroundings(self, card: Card) -> Surroundings:
        asker = Asker.of_card(card)
        context: ContextSnapshot | None = None
        if asker.has_workspace:
            context = await self._contexts.pinned(asker.chat_id, asker.home, turns=card.turns)
        personal = await self._config.personal(card.owner_id)
        settings = await self._config.settings(card.organisation_id)
        return Surroundings(
            place=_place(card, has_workspace=context is not None),
            workspace=instructions(context) if context else None,
            skills=skill_index(await self._skills.index(asker)),
            instructions=normalised(personal.settings.prompt) or None,
            plan=normalised(settings.plan_instructions) or None,
        )

    async def rules(self, card: Card) -> Rules:
        return await configured_rules(self._config, card)


async def configured_rules(config: Config, card: Card) -> Rules:
    """What the organisation and the owner have settled."""
    settings = await config.settings(card.organisation_id)
    personal = await config.personal(card.owner_id)
    policies = {**settings.approvals, **personal.settings.approvals}
    return Rules(
        step_limit=settings.step_limit,
        policies={tool: Policy(policy.value) for tool, policy in policies.items()},
        forbidden=frozenset(tool for tool, policy in settings.approvals.items() if policy is Approval.DENY),
        summary_model=settings.compaction_model,
        tool_search=Experiment.MCP_TOOL_SEARCH in settings.experiments,
        title_model=settings.title_model,
        limits=Limits(
            user=settings.budgets.of(card.owner_id),
            organisation=settings.budgets.organisation,
        ),
    )
