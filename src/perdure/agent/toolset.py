"""The tools of one turn: what the model is offered, in a fixed order, and who answers each call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from perdure.core.card import Card, ClientTool
from perdure.core.chat import CallKind
from perdure.providers.request import ToolSpec
from perdure.tools.tool import Mode, Tool

WAITING_TOOL = "wait_agent"
NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Toolset:
    """Our tools and the client's, by name. The order never changes within a chat, so that provider caches hit."""

    mode: Mode
    ours: Mapping[str, Tool]
    clients: Mapping[str, ClientTool] = field(default_factory=dict[str, ClientTool])

    def specs(self) -> tuple[ToolSpec, ...]:
        ours = [ToolSpec(tool.name, tool.description, tool.schema) for tool in self.ours.values()]
        clients = [
            ToolSpec(tool.name, tool.description, tool.schema or dict(NO_PARAMETERS)) for tool in self.clients.values()
        ]
        return (*ours, *clients)

    def kinds(self) -> Mapping[str, CallKind]:
        """Who answers a call, for the tools that are not simply ours."""
        kinds = dict.fromkeys(self.clients, CallKind.CLIENT)
        if WAITING_TOOL in self.ours:
            kinds[WAITING_TOOL] = CallKind.CHILDREN
        return kinds

    def exclusive(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.exclusive

    def reframes(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.reframes

    def stops(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.stop_after


def mode_of(card: Card) -> Mode:
    if card.parent_id is not None:
        return Mode.EXPLORE if card.agent_type == "explore" else Mode.CHILD
    return Mode.PLAN if card.plan_mode else Mode.ROOT


def toolset_for(card: Card, tools: Iterable[Tool], *, hidden: Sequence[str] = ()) -> Toolset:
    """What this chat may use now."""
    mode = mode_of(card)
    ours = {tool.name: tool for tool in tools if mode in tool.modes and tool.name not in hidden}
    clients = {tool.name: tool for tool in card.client_tools if tool.name not in ours}
    return Toolset(mode, ours, clients if mode in (Mode.ROOT, Mode.CHILD) else {})
