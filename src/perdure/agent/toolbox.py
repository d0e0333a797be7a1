"""Where the tools of a turn come from."""

from collections.abc import Sequence

from perdure.agent.advisor import ModelAdvisor
from perdure.agent.toolset import mode_of
from perdure.config.config import Config
from perdure.config.settings import Experiment
from perdure.core.card import Card
from perdure.tools.advisor import advisor
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.call import LOOKING
from perdure.tools.computer.computer import computer
from perdure.tools.skill_sources import Asker
from perdure.tools.tool import Need, Tool
from perdure.workspaces.service import Workspaces


class Toolbox:
    """The tools that ship and those that were brought along, less those that cannot be had here."""

    def __init__(
        self, config: Config, workspaces: Workspaces, advice: ModelAdvisor, brought: Sequence[Tool] = ()
    ) -> None:
        self._config = config
        self._workspaces = workspaces
        self._advice = advice
        self._tools = (*BUILTIN_TOOLS, *brought, advisor)

    async def available(self, card: Card) -> Sequence[Tool]:
        settings = await self._config.settings(card.organisation_id)
        met = await self._met(card, depth=settings.subagents.depth)
        offered = [tool for tool in self._tools if tool.needs <= met]
        if Experiment.COMPUTER_USE in settings.experiments and Asker.of_card(card).has_workspace:
            found = await self._workspaces.computer(card.root_id or card.id)
            offered += [computer(found)] if found else []
        return offered

    async def _met(self, card: Card, *, depth: int) -> frozenset[Need]:
        """What tools may need and can have here."""
        met = {
            Need.AGENTS: card.depth < depth,
            Need.COMMANDS: mode_of(card) not in LOOKING or await self._has_view(card),
            Need.ADVISOR: await self._advice.available(card),
            Need.PERMISSION: Asker.of_card(card).has_workspace
            and await self._workspaces.by_permission(card.root_id or card.id),
            Need.MEMORY: (await self._config.personal(card.owner_id)).settings.memory,
        }
        return frozenset(need for need, given in met.items() if given)

    async def _has_view(self, card: Card) -> bool:
        """Whether commands of a chat that only looks can be kept from changing anything."""
        row = await self._workspaces.of_chat(card.root_id or card.id)
        return row is None or await self._workspaces.has_view(row)
