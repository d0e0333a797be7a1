"""Where the tools of a turn come from."""

from collections.abc import Sequence

from perdure.core.card import Card
from perdure.tools.shipped import SHIPPED
from perdure.tools.tool import Tool


class Toolbox:
    """The tools that ship."""

    async def available(self, card: Card) -> Sequence[Tool]:  # noqa: ARG002
        return SHIPPED
