"""Where the tools of a turn come from."""

from collections.abc import Sequence

from perdure.config.config import Config
from perdure.core.card import Card
from perdure.tools.shipped import AGENT_TOOLS, SHIPPED
from perdure.tools.tool import Tool


class Toolbox:
    """The tools that ship, less those that the deployment allows nobody here."""

    def __init__(self, config: Config) -> None:
        self._config = config

    async def available(self, card: Card) -> Sequence[Tool]:
        settings = await self._config.settings(card.organisation_id)
        if card.depth < settings.subagents.depth:
            return SHIPPED
        return tuple(tool for tool in SHIPPED if tool not in AGENT_TOOLS)
