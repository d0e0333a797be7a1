"""Calls that become tasks: as the newer version of the protocol has them, and as the one before it did."""

from typing import Any, Literal

from mcp import ClientSession
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    Request,
    RequestParams,
    Result,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from perdure.tools.mcp.messages import Refusal, TaskQuestion, TaskState, TaskStatus
from perdure.tools.mcp.protocol.translation import call_result

EXTENSION = "io.modelcontextprotocol/tasks"


class CreatedTask(Result):
    """A task instead of a result."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")
    result_type: Literal["task"] = "task"
    task_id: str


class SeenTask(Result):
    """Where a task stands, in either version."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")
    task_id: str
    status: str
    status_message: str | None = None
    poll_interval_ms: float | None = None
    poll_interval: float | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    input_requests: dict[str, Any] | None = None


class Anything(Result):
    model_config = ConfigDict(extra="allow")


class TaskParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    task_id: str


class UpdateParams(TaskParams):
    input_responses: dict[str, Any]


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class TaskResult(Request[TaskParams, Literal["tasks/result"]]):
    method: Literal["tasks/result"] = "tasks/result"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    name_param = "taskId"


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    name_param = "taskId"


class TasksExtension(ClientExtension):
    """Tells servers that a call may become a task."""

    identifier = EXTENSION

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=_became)]


async def put_aside(context: object, params: object) -> ElicitResult:  # noqa: ARG001
    """A form on the connection, as older servers show it. A person has one connection for all their chats, and the form
    does not say which call of which chat it is about: there is nobody to put it to."""
    return ElicitResult(action="cancel")


async def filled(context: object, params: ElicitRequestParams) -> ElicitResult:
    """The same of a server whose word counts: what its form proposes is what it gets, if that is all that it needs."""
    proposed = proposal(params)
    return ElicitResult(action="accept", content=proposed) if proposed else await put_aside(context, params)


def proposal(params: ElicitRequestParams) -> dict[str, Any]:
    """What a form proposes, where that is all that it needs."""
    if not isinstance(params, ElicitRequestFormParams):
        return {}
    schema: dict[str, Any] = params.requested_schema
    fields: dict[str, dict[str, Any]] = schema.get("properties") or {}
    proposed = {name: field["default"] for name, field in fields.items() if "default" in field}
    needed: list[str] = schema.get("required") or []
    return {} if any(name not in proposed for name in needed) else proposed


class BecameTask(Exception):
    """A call has no result yet: it is a task, which whoever called notes before they follow it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


async def _became(created: CreatedTask, context: ClaimContext) -> CallToolResult:  # noqa: ARG001
    raise BecameTask(created.task_id)


def modern(session: ClientSession) -> bool:
    return session.protocol_version in MODERN_PROTOCOL_VERSIONS


async def begin_legacy(session: ClientSession, tool: str, arguments: dict[str, Any], timeout: float) -> str:
    """Have a call run as a task, where the client asks for that. The package knows no such answer to a call."""
    data: dict[str, Any] = {"method": "tools/call", "params": {"name": tool, "arguments": arguments, "task": {}}}
    options: Any = {"timeout": timeout}
    session._stamp(data, options)  # pyright: ignore[reportPrivateUsage]
    raw = await session._dispatcher.send_raw_request(data["method"], data["params"], options)  # pyright: ignore[reportPrivateUsage]
    match raw:
        case {"task": {"taskId": str(name)}}:
            return name
        case _:
            raise Refusal("it began no task")


async def look(session: ClientSession, name: str, timeout: float) -> TaskState:
    """Where a task stands, with its result once there is one."""
    params = TaskParams(task_id=name)
    seen = await session.send_request(GetTask(params=params), SeenTask, timeout)
    try:
        status = TaskStatus(seen.status)
    except ValueError:
        raise Refusal(f"it says that the task is {seen.status!r}") from None
    result = seen.result
    if status is TaskStatus.FAILED:
        raise Refusal(str((seen.error or {}).get("message") or seen.status_message or "the task failed")[:2_000])
    if status is TaskStatus.COMPLETED and not modern(session):
        told = await session.send_request(TaskResult(params=params), Anything, timeout)
        result = told.model_dump(by_alias=True, mode="json")
    poll = seen.poll_interval_ms or seen.poll_interval or 0
    return TaskState(
        status=status,
        message=seen.status_message or "",
        poll_s=poll / 1000,
        questions=tuple(question_of(key, asked) for key, asked in (seen.input_requests or {}).items()),
        result=None if result is None else call_result(CallToolResult.model_validate(result)),
    )


def question_of(key: str, asked: Any) -> TaskQuestion:
    match asked:
        case {"method": "elicitation/create", "params": {"message": str(message), **rest}}:
            return TaskQuestion(
                key=key, message=message, schema=rest.get("requestedSchema") or {}, url=rest.get("url") or ""
            )
        case _:
            return TaskQuestion(key=key, message="", schema={}, answerable=False)


async def update(session: ClientSession, name: str, answers: dict[str, Any], timeout: float) -> None:
    params = UpdateParams(task_id=name, input_responses=answers)
    await session.send_request(UpdateTask(params=params), Anything, timeout)


async def cancel(session: ClientSession, name: str, timeout: float) -> None:
    await session.send_request(CancelTask(params=TaskParams(task_id=name)), Anything, timeout)
