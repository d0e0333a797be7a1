"""Tasks of servers, waited for; and what they ask on the way, put to a person."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from perdure.tools.call import CallContext, CallQuestion, InputNeeded
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.messages import CallResult, Refusal, TaskQuestion, TaskStatus, Unreachable

MCP_CANCEL = timedelta(seconds=5)
LARGEST_SCHEMA = 16 * 1024
LARGEST_MESSAGE = 4 * 1024
NOT_FOR_PEOPLE = "The server stopped in the middle: it asks for something that no person can answer here."
_log = logging.getLogger(__name__)


async def followed(connection: Connection, ctx: CallContext, name: str) -> CallResult:
    """What a task comes to. Raises InputNeeded where it asks a person. Whoever stops the turn stops the task."""
    answers: dict[str, Any] = msgspec.json.decode(ctx.answers) if ctx.answers else {}
    try:
        state = await connection.followed(name, ctx.progress, answers)
    except asyncio.CancelledError:
        if ctx.interrupted():
            await asyncio.shield(cancelled(connection, name))
        raise
    if state.status is TaskStatus.INPUT_REQUIRED:
        asked = questions_for_people(state.questions)
        if asked:
            raise InputNeeded(asked)
        await cancelled(connection, name)
        return CallResult(text=NOT_FOR_PEOPLE, is_error=True)
    if state.result is None:
        return CallResult(text="The server stopped it before it was done.", is_error=True)
    return state.result


async def cancelled(connection: Connection, name: str) -> None:
    """Stop a task, if its server can be told."""
    try:
        async with asyncio.timeout(MCP_CANCEL.total_seconds()):
            await connection.cancel(name)
    except (Unreachable, Refusal, TimeoutError) as error:
        _log.warning("task %s may still run: %s", name, error)


def questions_for_people(questions: Sequence[TaskQuestion]) -> list[CallQuestion]:
    """What a task asks; nothing where a person cannot answer all of it, as it does not go on with less."""
    asked: list[CallQuestion] = []
    for question in questions:
        schema = msgspec.json.encode(question.schema).decode() if question.schema else ""
        if not question.answerable or len(schema) > LARGEST_SCHEMA:
            return []
        asked.append(CallQuestion(question.key, question.message[:LARGEST_MESSAGE], schema, question.url))
    return asked
