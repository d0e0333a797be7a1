"""Tasks of servers, waited for; and what they ask on the way, put to the person by the agent."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec

from perdure.config.mcp import McpServer
from perdure.core.timing import MCP_LONGEST_CALL
from perdure.tools.call import ACTING, EVERYWHERE, ToolFailed, ToolOutput
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.listing import full_name
from perdure.tools.mcp.messages import CallResult, Refusal, TaskQuestion, TaskStatus, Unreachable
from perdure.tools.tool import Effect, Tool, ToolContext

ANSWER = "answer_task"
MCP_CANCEL = timedelta(seconds=5)
DESCRIPTION = (
    "Give a task of this server what it asked a person for, and wait until it is done. Only for a task that says that "
    "it asks something, and only with what the user said: ask them first."
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "description": "The task."},
        "question": {"type": "string", "description": "The question, by its key."},
        "action": {
            "enum": ["accept", "decline", "cancel"],
            "description": "accept: they answered. decline: they refuse. cancel: they do not want to say.",
        },
        "content": {"type": "object", "description": "What they answered, as the question's schema says."},
    },
    "required": ["task", "question", "action"],
    "additionalProperties": False,
}
_log = logging.getLogger(__name__)


async def followed(connection: Connection, ctx: ToolContext, name: str, slug: str) -> CallResult:
    """What a task comes to. Whoever stops the turn stops the task."""
    try:
        state = await connection.followed(name, ctx.progress)
    except asyncio.CancelledError:
        if ctx.interrupted():
            await asyncio.shield(_cancelled(connection, name))
        raise
    if state.status is TaskStatus.INPUT_REQUIRED:
        return CallResult(text=asked(slug, name, state.questions))
    if state.result is None:
        return CallResult(text="The server stopped it before it was done.", is_error=True)
    return state.result


async def _cancelled(connection: Connection, name: str) -> None:
    try:
        async with asyncio.timeout(MCP_CANCEL.total_seconds()):
            await connection.cancel(name)
    except (Unreachable, Refusal, TimeoutError) as error:
        _log.warning("task %s may still run: %s", name, error)


def asked(slug: str, name: str, questions: Sequence[TaskQuestion]) -> str:
    """What the agent reads of a task that asks something."""
    tool = full_name(slug, ANSWER)
    first = f"It is not done: the task {name} asks the user something. Ask them, word for word, and then call {tool} "
    lines = [f"{first}with what they say. Do not answer for them."]
    for question in questions:
        shown = f"question {question.key}: {question.message or 'something that cannot be answered here'}"
        if question.schema:
            shown += f"\nschema: {msgspec.json.encode(question.schema).decode()}"
        lines.append(shown + (f"\nat: {question.url}" if question.url else ""))
    return "\n\n".join(lines)


def answer_tools(server: McpServer, connection: Connection, taken: Iterable[str]) -> list[Tool]:
    """The tool that brings answers to a server's tasks, unless a tool of its own has that name."""
    name = full_name(server.slug, ANSWER)
    if name in taken:
        return []

    async def run(ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        answer: dict[str, Any] = {"action": arguments["action"]}
        if arguments["action"] == "accept":
            answer["content"] = arguments.get("content") or {}
        try:
            # A server takes one answer to a question: bringing it again changes nothing.
            await connection.answer(arguments["task"], {arguments["question"]: answer})
            result = await followed(connection, ctx, arguments["task"], server.slug)
        except (Unreachable, Refusal) as error:
            raise ToolFailed(f"The MCP server {server.title} did not accept the answer: {error}.") from error
        return ToolOutput(result.text, is_error=result.is_error)

    return [
        Tool(
            name=name,
            description=DESCRIPTION,
            schema=SCHEMA,
            effect=Effect.KEYED,
            run=run,
            modes=EVERYWHERE if server.options.plan_mode else ACTING,
            timeout=MCP_LONGEST_CALL,
            mcp_server_id=str(server.id),
        )
    ]
