"""The tools that MCP servers bring to a chat, and trying a server out."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from perdure.config.config import Config
from perdure.config.mcp import McpServer, Transport, selected
from perdure.core.card import Card
from perdure.core.errors import Refused
from perdure.core.ids import ChatId, FileId, UserId
from perdure.core.timing import MCP_LONGEST_CALL
from perdure.observe.measures.work import McpMeasures
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.tools.call import ACTING, EVERYWHERE, InputNeeded, NewFile, ToolFailed, ToolOutput
from perdure.tools.mcp.answering import NOT_FOR_PEOPLE, cancelled, followed
from perdure.tools.mcp.asking import asked_call, brought, put
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.connections import Connections
from perdure.tools.mcp.listing import CheckedTool, checked
from perdure.tools.mcp.messages import Asked, CallResult, ListedTool, NoAnswer, Refusal, Task, Unreachable
from perdure.tools.tool import Effect, End, Run, Tool, ToolContext

NEEDS_WORKSPACE = "it runs inside the workspace, and this chat has none yet: call create_workspace first"
DESCRIPTION = 8 * 1024
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class McpOffer:
    """What servers offer to a chat now."""

    tools: tuple[Tool, ...] = ()
    """By name."""
    absent: dict[str, str] = field(default_factory=dict[str, str])
    """Why the tools of a server are not there, by its slug."""
    current: Callable[[], bool] = lambda: True
    """Whether the servers still say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCheck:
    """Whether a server answers, and with what."""

    ok: bool
    message: str
    latency_ms: int
    tools: tuple[CheckedTool, ...] = ()


class McpTools:
    """Asks the servers that a chat may use. Once they are connected, that costs nothing."""

    def __init__(self, config: Config, connections: Connections, measures: McpMeasures) -> None:
        self._config = config
        self._connections = connections
        self._measures = measures

    async def offer(self, card: Card, *, looking: bool) -> McpOffer:
        """The tools of a chat. `looking` means that it only plans or explores."""
        snapshot = await self._config.of(card.organisation_id)
        servers = selected(snapshot.mcp_servers, card.settings.mcp_servers)
        servers = tuple(server for server in servers if server.options.plan_mode or not looking)
        if not servers:
            return McpOffer()
        row = await self._workspace(card, servers)
        answers = await asyncio.gather(*(self._of(server, card, row, looking=looking) for server in servers))
        versions = [(connection, connection.version) for _, _, connection in answers if connection is not None]
        tools = sorted((tool for found, _, _ in answers for tool in found), key=lambda tool: tool.name)
        return McpOffer(
            tools=tuple(tools),
            absent={server.slug: why for server, (_, why, _) in zip(servers, answers, strict=True) if why},
            current=lambda: all(connection.version == version for connection, version in versions),
        )

    async def check(self, server: McpServer, user_id: UserId, chat_id: ChatId | None) -> ServerCheck:
        """Connect anew and ask for the tools, on behalf of a person."""
        row = None if chat_id is None else await self._connections.workspace(chat_id)
        if server.options.transport is Transport.STDIO and row is None:
            raise Refused("Its command runs inside a workspace. Name a chat that has one.")
        begun = time.monotonic()
        connection = self._connections.separate(server, user_id, row, read_only=False)
        try:
            tools = tuple(checked(server, await connection.tools()))
            message = f"It answers and has {len(tools)} tools."
            return ServerCheck(ok=True, message=message, latency_ms=_since(begun), tools=tools)
        except (Unreachable, Refusal) as error:
            return ServerCheck(ok=False, message=f"It cannot be used: {error}.", latency_ms=_since(begun))
        finally:
            await connection.close()

    async def _workspace(self, card: Card, servers: Sequence[McpServer]) -> WorkspaceRow | None:
        inside = any(server.options.transport is Transport.STDIO for server in servers)
        return await self._connections.workspace(card.root_id or card.id) if inside else None

    async def _of(
        self, server: McpServer, card: Card, row: WorkspaceRow | None, *, looking: bool
    ) -> tuple[list[Tool], str, Connection | None]:
        if server.options.transport is Transport.STDIO and row is None:
            return [], _unreachable(server, NEEDS_WORKSPACE), None
        connection = self._connections.shared(server, card.asker, row, read_only=looking)
        try:
            listed = await connection.tools()
        except (Unreachable, Refusal) as error:
            return [], _unreachable(server, error), connection
        tools = [_tool(server, one, connection, self._measures) for one in _usable(server, listed)]
        return tools, "", connection


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def _usable(server: McpServer, listed: Sequence[ListedTool]) -> list[CheckedTool]:
    """The tools that count. What the settings do not leave out and yet cannot be used is logged."""
    tools = checked(server, listed)
    for tool in tools:
        if tool.left_out and server.allows(tool.listed.name):
            _log.warning("tool %r of MCP server %s is left out: %s", tool.listed.name, server.slug, tool.left_out)
    return [tool for tool in tools if not tool.left_out]


def _tool(server: McpServer, tool: CheckedTool, connection: Connection, measures: McpMeasures) -> Tool:
    return Tool(
        name=tool.full_name,
        description=tool.listed.description[:DESCRIPTION],
        schema=tool.schema,
        effect=effect(server, tool.listed),
        run=_run(server, tool.listed, connection, measures),
        modes=EVERYWHERE if server.options.plan_mode else ACTING,
        timeout=MCP_LONGEST_CALL,
        mcp_server_id=str(server.id),
        asks=tool.listed.destructive,
        end=_end(connection),
    )


def _end(connection: Connection) -> End:
    async def end(ctx: ToolContext) -> None:
        if ctx.handle is not None and asked_call(ctx.handle) is None:
            await cancelled(connection, ctx.handle)

    return end


def effect(server: McpServer, listed: ListedTool) -> Effect:
    """What repeating a call would do. A stranger's word for it does not count."""
    repeatable = server.options.trusted and (listed.read_only or listed.idempotent)
    return Effect.READS if repeatable else Effect.ONCE


def _run(server: McpServer, tool: ListedTool, connection: Connection, measures: McpMeasures) -> Run:
    async def run(ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        begun, outcome = time.monotonic(), "failed"
        try:
            repeatable = effect(server, tool) is Effect.READS
            result = await _result(tool, connection, ctx, arguments, repeatable=repeatable)
            outcome = "error" if result.is_error else "done"
            return _output(ctx, result)
        except (Unreachable, Refusal) as error:
            raise ToolFailed(_failed(server, error)) from error
        except InputNeeded:
            outcome = "asks"
            raise
        finally:
            measures.called(server.slug, outcome, time.monotonic() - begun)

    return run


async def _result(
    tool: ListedTool, connection: Connection, ctx: ToolContext, arguments: Mapping[str, Any], *, repeatable: bool
) -> CallResult:
    """What a call comes to. A task is noted before it is waited for, so that whoever takes over waits on; so is what a
    call asks, which is made again with the answers."""
    before = None if ctx.handle is None else asked_call(ctx.handle)
    if ctx.handle is not None and before is None:
        return await followed(connection, ctx, ctx.handle)
    came = await connection.call(
        tool.name,
        dict(arguments),
        ctx.progress,
        as_task=tool.only_as_task,
        brought=None if before is None else await brought(ctx, before, repeatable=repeatable),
    )
    if isinstance(came, Task):
        await ctx.handed(came.name)
        return await followed(connection, ctx, came.name)
    if isinstance(came, Asked) and not await put(ctx, came, before):
        return CallResult(text=NOT_FOR_PEOPLE, is_error=True)
    assert isinstance(came, CallResult)
    return came


def _failed(server: McpServer, error: Unreachable | Refusal) -> str:
    match error:
        case Refusal():
            return f"The MCP server {server.title} refused: {error}"
        case NoAnswer():
            return (
                f"The MCP server {server.title} did not finish: {error}. It may or may not have done it: "
                "check before you try again."
            )
        case _:
            return _unreachable(server, error)


def _unreachable(server: McpServer, why: object) -> str:
    """One instruction for the model."""
    return f"The MCP server {server.title} cannot be used now: {why}. Go on without it, or tell the user."


def _output(ctx: ToolContext, result: CallResult) -> ToolOutput:
    files = tuple(
        NewFile(
            FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/picture/{index}")),
            f"picture-{index + 1}.{image.media_type.rpartition('/')[2]}",
            image.media_type,
            image.data,
        )
        for index, image in enumerate(result.images)
        if image.media_type in IMAGES
    )
    text = result.text or ("" if files else "It answered nothing.")
    return ToolOutput(text, is_error=result.is_error, files=files)
