"""The tools of one turn: what the model is offered, in a fixed order, and who answers each call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from perdure.core.action import CallKind
from perdure.core.card import Card, ClientTool
from perdure.core.message import ToolCall
from perdure.core.remembering import MadeOnce, MadeOnceOfAll
from perdure.core.screen import Screen
from perdure.providers.estimate import estimate
from perdure.providers.request import TOOLS_KEPT, TOOLSETS_KEPT, ToolSpec
from perdure.tools.arguments import is_json_object, of_object, parsed
from perdure.tools.call import Mode, ToolFailed
from perdure.tools.mcp.listing import server_of
from perdure.tools.mcp.search import FIND_TOOLS, finder
from perdure.tools.mcp.tools import McpOffer
from perdure.tools.tool import Tool

NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of the prompt the descriptions of foreign tools may take before they have to be looked for."""

    tokens: int = 0
    searching: bool = False
    """Whether looking for tools is switched on at all."""
    found: Sequence[str] = ()
    """Tools that were looked for and found, oldest first."""


@dataclass(frozen=True)
class Toolset:
    """Our tools and the client's, by name. The order never changes within a chat, so that provider caches hit."""

    mode: Mode
    ours: Mapping[str, Tool]
    clients: Mapping[str, ClientTool] = field(default_factory=dict[str, ClientTool])
    deferred: frozenset[str] = frozenset()
    """Those of ours that are not shown until they are looked for. Called by name they run all the same."""
    found: tuple[str, ...] = ()
    """Those that were looked for: shown after all others, so that what is before them stays the same."""
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why the tools of a server are not there, by the first half of their names."""
    current: Callable[[], bool] = lambda: True
    """Whether whoever brings tools still brings the same."""

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        ours = [tool for tool in self.ours.values() if tool.name not in self.deferred and tool.screen is None]
        clients = [
            ToolSpec(tool.name, tool.description, of_object(tool.schema or NO_PARAMETERS))
            for tool in self.clients.values()
        ]
        return (*_specs(ours), *clients, *_specs([self.ours[name] for name in self.found]))

    @property
    def screen(self) -> Screen | None:
        """The screen that the model may use."""
        return next((tool.screen for tool in self.ours.values() if tool.screen is not None), None)

    def kinds(self) -> Mapping[str, CallKind]:
        """Who answers a call, for the tools that are not simply ours."""
        ours = {name: tool.answered_by for name, tool in self.ours.items() if tool.answered_by is not CallKind.LOCAL}
        return {**dict.fromkeys(self.clients, CallKind.CLIENT), **ours}

    def exclusive(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.exclusive

    def reframes(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.reframes

    def stops(self, name: str) -> bool:
        tool = self.ours.get(name)
        return tool is not None and tool.stop_after

    @cached_property
    def asking(self) -> frozenset[str]:
        """Tools that do not run unasked unless somebody said that they may."""
        return frozenset(tool.name for tool in self.ours.values() if tool.asks)

    def server(self, name: str) -> str | None:
        """The MCP server that a tool is from."""
        tool = self.ours.get(name)
        return tool.mcp_server_id if tool else None

    def may_run(self, call: ToolCall) -> bool:
        """Whether somebody can carry a call out: it is offered, and its arguments make sense."""
        tool = self.ours.get(call.tool)
        if call.provider_executed or tool is None:
            return call.tool in self.clients and is_json_object(call.args)
        try:
            parsed(call.args, tool.schema)
        except ToolFailed:
            return False
        return True

    def why_missing(self, name: str) -> str:
        """What to tell a model that calls a tool which is not there."""
        server = server_of(name)
        if server is not None and server in self.absent:
            return self.absent[server]
        shown = ", ".join(spec.name for spec in self.specs) or "none"
        return f"There is no tool named {name!r} here. Available: {shown}."


def mode_of(card: Card) -> Mode:
    if card.parent_id is not None:
        return Mode.EXPLORE if card.agent_type == "explore" or card.plan_mode else Mode.CHILD
    return Mode.PLAN if card.plan_mode else Mode.ROOT


def toolset_for(card: Card, tools: Iterable[Tool], offer: McpOffer, room: Room) -> Toolset:
    """What this chat may use now."""
    mode = mode_of(card)
    ours = {tool.name: tool for tool in tools if mode in tool.modes}
    foreign = {tool.name: tool for tool in offer.tools if mode in tool.modes and tool.name not in ours}
    deferred = _too_many(foreign.values(), room)
    searching = {FIND_TOOLS: finder(tuple(foreign.values()))} if deferred else {}
    every = {**ours, **searching, **foreign}
    clients = {tool.name: tool for tool in card.client_tools if tool.name not in every}
    return Toolset(
        mode,
        every,
        clients if mode in (Mode.ROOT, Mode.CHILD) else {},
        deferred=frozenset(foreign) if deferred else frozenset(),
        found=_found(foreign, room) if deferred else (),
        absent=offer.absent,
        current=offer.current,
    )


def _too_many(tools: Iterable[Tool], room: Room) -> bool:
    return room.searching and sum(map(_tokens, tools)) > room.tokens


def _found(tools: Mapping[str, Tool], room: Room) -> tuple[str, ...]:
    """Those found last that fit, in the order in which they were found."""
    left, kept = room.tokens, list[str]()
    for name in reversed(room.found):
        if name in tools and (size := _tokens(tools[name])) <= left:
            left -= size
            kept.append(name)
    return tuple(reversed(kept))


def _tokens(tool: Tool) -> int:
    return estimate((), tools=(_spec(tool),))


_spec = MadeOnce[Tool, ToolSpec](lambda tool: ToolSpec(tool.name, tool.description, tool.schema), room=TOOLS_KEPT)
_specs = MadeOnceOfAll[Tool, tuple[ToolSpec, ...]](lambda tools: tuple(map(_spec, tools)), room=TOOLSETS_KEPT)
