"""The tools that approvals can be settled for."""

from msgspec import Struct

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.tools.advisor import advisor
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.computer.computer import computer
from perdure.tools.tool import Tool
from perdure.workspaces.driver import Computer


class ToolCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool that chats may use, as people read of it."""

    name: str
    description: str
    asks: bool = False
    """Whether a person is asked before it runs, where nobody has settled anything else."""


class ToolList(Struct, frozen=True):
    items: tuple[ToolCard, ...]


routes = Routes("settings")

SHIPPED = (*BUILTIN_TOOLS, advisor, computer(Computer(command="")))


@routes.get("/tools")
async def list_tools(caller: Caller) -> ToolList:  # noqa: ARG001
    """The tools that come with the product. Those of MCP servers are named by the servers."""
    return ToolList(tuple(_card(tool) for tool in SHIPPED))


def _card(tool: Tool) -> ToolCard:
    first, _, _ = tool.description.partition("\n\n")
    return ToolCard(name=tool.name, description=" ".join(first.split()), asks=tool.asks)
