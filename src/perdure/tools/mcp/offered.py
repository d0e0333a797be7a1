"""From what a server lists to tools that a model may use: named, checked, and each with its effect."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from perdure.config.mcp import McpServer
from perdure.core.ids import FileId
from perdure.core.timing import MCP_CALL
from perdure.tools.mcp.line import Line
from perdure.tools.mcp.names import full_name
from perdure.tools.mcp.numbers import McpNumbers
from perdure.tools.mcp.schemas import UnusableSchema, usable
from perdure.tools.mcp.speech import Listed, NoAnswer, Refusal, Said, Unreachable
from perdure.tools.tool import ACTING, EVERYWHERE, Effect, NewFile, Run, Tool, ToolContext, ToolFailed, ToolOutput

DESCRIPTION = 8 * 1024
_log = logging.getLogger(__name__)


def offered(server: McpServer, listed: Iterable[Listed], line: Line, numbers: McpNumbers) -> dict[str, Tool]:
    """The server's tools that count, by full name and in its order. What cannot be used is left out, and logged."""
    tools: dict[str, Tool] = {}
    for one in listed:
        name = full_name(server.slug, one.name)
        if not server.allows(one.name):
            continue
        if name in tools:
            _log.warning("MCP server %s lists two tools named %r: the second is left out", server.slug, one.name)
            continue
        try:
            schema = usable(one.schema)
        except UnusableSchema as error:
            _log.warning("tool %r of MCP server %s is left out: its schema: %s", one.name, server.slug, error)
            continue
        tools[name] = _tool(server, one, name, schema, _run(server, one.name, line, numbers))
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


def _run(server: McpServer, tool: str, line: Line, numbers: McpNumbers) -> Run:
    async def run(ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        with numbers.call_seconds.labels(server.slug).time():
            outcome = "failed"
            try:
                said = await line.call(tool, dict(arguments), ctx.progress)
                outcome = "error" if said.is_error else "done"
            except NoAnswer as error:
                raise ToolFailed(
                    f"The MCP server {server.title} did not finish: {error}. It may or may not have done it: "
                    "check before you try again."
                ) from error
            except Unreachable as error:
                raise ToolFailed(unreachable(server, error)) from error
            except Refusal as error:
                raise ToolFailed(f"The MCP server {server.title} refused: {error}") from error
            finally:
                numbers.calls.labels(server.slug, outcome).inc()
        return _output(ctx, said)

    return run


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
