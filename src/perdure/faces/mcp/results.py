"""Turns that are waited for, and turns and errors as the results that a client of the protocol reads."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from importlib.metadata import version
from typing import Any, TypeVar

from perdure.core.errors import InvalidInput, PerdureError
from perdure.faces.asked import TurnId
from perdure.faces.mcp.questions import questions_of
from perdure.faces.mcp.tasks import Task, Tasks, TaskStatus, task_fields, task_id
from perdure.faces.mcp.tools import Said
from perdure.faces.mcp.wire import RELATED_TASK_KEY, SERVER_KEY, SUBSCRIPTION_KEY, RpcId, frame
from perdure.faces.turn import Outcome

SERVER = {"name": "perdure", "title": "Perdure", "version": version("perdure")}
INSTRUCTIONS = (
    "Chats with agents that last. begin_chat asks an agent something and continue_chat goes on; both bring its answer, "
    "or say that it is still at work: then wait_for_chat waits on. Nothing stops an agent but stop_chat."
)


def said(outcome: Said) -> dict[str, Any]:
    return _result(outcome.text, dict(outcome.structured))


def refused(error: PerdureError) -> dict[str, Any]:
    """What an agent can do something about: it reads why its call did not work."""
    words = [str(error)]
    if isinstance(error, InvalidInput):
        words += [f"{wrong.field}: {wrong.detail}" for wrong in error.validations]
    return {**_result(" ".join(words)), "isError": True}


def outcome_of(task: Task) -> dict[str, Any]:
    """What a call comes to that asked for a turn: the agent's answer, or where the turn stands."""
    structured = {"chat_id": str(task.turn.chat_id), "task_id": task_id(task.turn), "status": task.status.value}
    if task.ended is None:
        return _told(_pending(task), structured)
    structured["outcome"] = task.ended.outcome.value
    if task.failed:
        return {**_told(task.error, structured), "isError": True}
    if task.status is TaskStatus.CANCELLED:
        return {**_told(task.text or task.message, structured), "isError": True}
    notes = {Outcome.LENGTH: "\n\n[The answer was cut: it was too long.]", Outcome.FILTERED: "\n\n[It was withheld.]"}
    return _told(task.text + notes.get(task.ended.outcome, ""), structured)


def _told(text: str, structured: dict[str, Any]) -> dict[str, Any]:
    """The same in both forms: some clients show their model nothing but what is structured."""
    return _result(text, {**structured, "text": text})


def _pending(task: Task) -> str:
    chat = task.turn.chat_id
    if task.status is TaskStatus.INPUT_REQUIRED:
        return f"{task.message} They decide in the chat {chat}; then call wait_for_chat."
    return f"{task.message} It is not done yet: call wait_for_chat with the chat_id {chat}."


def _result(text: str, structured: dict[str, Any] | None = None) -> dict[str, Any]:
    told: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
    return told if structured is None else {**told, "structuredContent": structured}


def standing(task: Task, *, modern: bool, elicits: bool) -> dict[str, Any]:
    """A task's fields. Who cannot ask a person is told that it works: there is nothing that they could do."""
    fields = task_fields(task, modern=modern)
    if task.status is TaskStatus.INPUT_REQUIRED and not elicits:
        fields["status"] = TaskStatus.WORKING.value
    return fields


def detailed(task: Task, *, elicits: bool) -> dict[str, Any]:
    """A task with what it came to, or with what it asks."""
    fields = standing(task, modern=True, elicits=elicits)
    match fields["status"]:
        case "completed":
            return {**fields, "result": complete(outcome_of(task))}
        case "input_required":
            return {**fields, "inputRequests": input_requests(task)}
        case _:
            return fields


def input_requests(task: Task) -> dict[str, Any]:
    return {key: {"method": "elicitation/create", "params": form} for key, form in questions_of(task).items()}


def complete(result: dict[str, Any], kind: str = "complete") -> dict[str, Any]:
    """A result as the newer version of the protocol wants it."""
    return {"resultType": kind, **result, "_meta": {**result.get("_meta", {}), SERVER_KEY: SERVER}}


def related(task: Task) -> dict[str, Any]:
    return {RELATED_TASK_KEY: {"taskId": task_id(task.turn)}}


T = TypeVar("T")


async def within(moves: AsyncIterator[T], seconds: float) -> AsyncGenerator[T]:
    """What comes within a time; the first in any case."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    patience: float | None = None
    while True:
        try:
            move = await asyncio.wait_for(anext(moves), patience)
        except (TimeoutError, StopAsyncIteration):
            return
        yield move
        patience = None if seconds == float("inf") else max(0.0, until - loop.time())


async def last(moves: AsyncIterator[T]) -> T:
    """Where it ends. There is at least one move."""
    found = [move async for move in moves]
    return found[-1]


async def listened(number: RpcId, turns: Sequence[TurnId], tasks: Tasks, *, elicits: bool) -> AsyncIterator[bytes]:
    """Every change of some tasks, until all of them are over."""
    meta = {SUBSCRIPTION_KEY: number}
    agreed: dict[str, Any] = {"taskIds": [task_id(turn) for turn in turns]} if turns else {}
    params = {"notifications": agreed, "_meta": meta}
    yield frame({"method": "notifications/subscriptions/acknowledged", "params": params})
    if not turns:
        await asyncio.Event().wait()
    queue = asyncio.Queue[Task | None]()
    followers = [asyncio.ensure_future(_follow(tasks, turn, queue)) for turn in turns]
    try:
        told: dict[TurnId, dict[str, Any]] = {}
        left = len(turns)
        while left:
            task = await queue.get()
            if task is None:
                left -= 1
                continue
            shown = detailed(task, elicits=elicits)
            if told.get(task.turn) != shown:
                told[task.turn] = shown
                yield frame({"method": "notifications/tasks", "params": {**shown, "_meta": meta}})
        yield frame({"id": number, "result": complete({"_meta": meta})})
    finally:
        for follower in followers:
            follower.cancel()


async def _follow(tasks: Tasks, turn: TurnId, queue: asyncio.Queue[Task | None]) -> None:
    try:
        async for task in tasks.follow(turn):
            await queue.put(task)
    finally:
        queue.put_nowait(None)
