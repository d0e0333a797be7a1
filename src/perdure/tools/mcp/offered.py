"""From what a server lists to tools that a model may use: named, checked, and each with its effect."""

import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from perdure.config.mcp import McpServer
from perdure.core.ids import FileId
from perdure.core.timing import MCP_CALL
from perdure.observe.measures.mcp import McpMeasures
from perdure.tools.call import ACTING, EVERYWHERE, NewFile, ToolFailed, ToolOutput
from perdure.tools.mcp.line import Line
from perdure.tools.mcp.names import full_name
from perdure.tools.mcp.schemas import UnusableSchema, usable
from perdure.tools.mcp.speech import Listed, NoAnswer, Refusal, Said, Unreachable
from perdure.tools.tool import Effect, Run, Tool, ToolContext

DESCRIPTION = 8 * 1024
_log = logging.getLogger(__name__)


def offered(server: McpServer, listed: Iterable[Listed], line: Line, measures: McpMeasures) -> dict[str, Tool]:
    """The server's tools that count, by full name and in its order. What cannot be used is left out, and logged."""
    tools: dict[str, Tool] = {}
    for one in listed:
        name = full_name(server.slug, one.name)
        if not server.allows(one.name):
            continue
        if one.only_as_task:
            _log.warning("tool %r of MCP server %s is left out: it only runs as a task", one.name, server.slug)
            continue
        if name in tools:
            _log.warning("MCP server %s lists two tools named %r: the second is left out", server.slug, one.name)
            continue
        try:
            schema = usable(one.schema)
        except UnusableSchema as error:
            _log.warning("tool %r of MCP server %s is left out: its schema: %s", one.name, server.slug, error)
            continue
        tools[name] = _tool(server, one, name, schema, _run(server, one.name, line, measures))
    return tools


def _tool(server: McpServer, listed: Listed, name: str, schema: dict[str, Any], run: Run) -> Tool:
    return Tool(
        name=name,
        description=listed.description[:DESCRIPTION],
        schema=schema,
        effect=effect(server, listed),
        run=run,
        modes=EVERYWHERE if server.options.plan_mode else ACTING,
        timeout=MCP_CALL,
        mcp_server_id=str(server.id),
        asks=listed.destructive,
    )


def effect(server: McpServer, listed: Listed) -> Effect:
    """What repeating a call would do. A stranger's word for it does not count."""
    repeatable = server.options.trusted and (listed.read_only or listed.idempotent)
    return Effect.READS if repeatable else Effect.ONCE


def _run(server: McpServer, tool: str, line: Line, measures: McpMeasures) -> Run:
    async def run(ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        begun, outcome = time.monotonic(), "failed"
        try:
            said = await line.call(tool, dict(arguments), ctx.progress)
            outcome = "error" if said.is_error else "done"
            return _output(ctx, said)
        except (Unreachable, Refusal) as error:
            raise ToolFailed(_failed(server, error)) from error
        finally:
            measures.called(server.slug, outcome, time.monotonic() - begun)

    return run


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
            return unreachable(server, error)


def unreachable(server: McpServer, why: object) -> str:
    """One instruction for the model."""
    return f"The MCP server {server.title} cannot be used now: {why}. Go on without it, or tell the user."


def _output(ctx: ToolContext, said: Said) -> ToolOutput:
    files = tuple(
        NewFile(
            FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/picture/{index}")),
            f"picture-{index + 1}.{picture.media_type.rpartition('/')[2]}",
            picture.media_type,
            picture.data,
        )
        for index, picture in enumerate(said.pictures)
        if picture.media_type in PICTURES
    )
    text = said.text or ("" if files else "It answered nothing.")
    return ToolOutput(text, is_error=said.is_error, files=files)


PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
