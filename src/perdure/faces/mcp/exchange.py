"""One request of a client and its answer."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias
from uuid import uuid4

from msgspec import UNSET

from perdure.api.decoding import fitting
from perdure.api.http import Answer
from perdure.api.routes.chats import list_chats
from perdure.api.routes.control import act, interrupt
from perdure.api.wire.chats import ListQuery
from perdure.api.wire.control import TurnBody
from perdure.core.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    PerdureError,
    TransitionNotAllowed,
    Unauthenticated,
    Unavailable,
)
from perdure.faces.asked import TurnId
from perdure.faces.face import Answered, Awaited, Request, Streamed
from perdure.faces.mcp.envelope import ELICITS, Rpc, elicits_forms
from perdure.faces.mcp.questions import decisions_of, questions_of
from perdure.faces.mcp.results import (
    INSTRUCTIONS,
    SERVER,
    complete,
    detailed,
    input_requests,
    last,
    listened,
    outcome_of,
    refused,
    related,
    said,
    standing,
    within,
)
from perdure.faces.mcp.tasks import Task, Tasks, TaskStatus, step_of, task_id, turn_named
from perdure.faces.mcp.tools import ChatTool, Said, Turn
from perdure.faces.mcp.wire import (
    BAD_PARAMS,
    INTERNAL,
    INVALID_REQUEST,
    LEGACY,
    NO_METHOD,
    SESSION_HEADER,
    TASKS,
    UNAVAILABLE,
    VERSIONS,
    RpcError,
    answer_of,
    error_answer,
    frame,
    needs_tasks,
)
from perdure.stream.subscription import Ended

LISTED_MS = 3_600_000
"""How long a client may keep what we list: it changes with a new release."""
CANCEL_WAIT_S = 10.0
MOST_TASKS = 100
"""How many tasks one request may follow."""
Method: TypeAlias = Callable[[], Awaitable[Answered]]


class Exchange:
    """Answers one request. What it is told of a turn comes from the chat's rows, so that any replica can."""

    def __init__(self, request: Request, rpc: Rpc, tools: Mapping[str, ChatTool]) -> None:
        self._request = request
        self._caller = request.caller
        self._rpc = rpc
        self._tools = tools
        self._tasks = Tasks(request.caller.chats, request.hubs)

    async def answer(self) -> Answered:
        try:
            if self._rpc.id is UNSET:
                # Nothing that a client tells us unasked changes anything.
                return Answer(202)
            if not self._rpc.message.method:
                await self._take_answer()
                return Answer(202)
            return await self._method()()
        except PerdureError as error:
            return error_answer(self._rpc.id, rpc_error(error))

    def _method(self) -> Method:
        found = (self._modern if self._rpc.modern else self._legacy).get(self._rpc.message.method)
        if found is None:
            status = 404 if self._rpc.modern else 200
            raise RpcError(NO_METHOD, f"There is no method {self._rpc.message.method!r}.", status=status)
        if self._rpc.modern and self._rpc.message.method.startswith("tasks/") and not self._rpc.tasks:
            raise needs_tasks()
        return found

    @property
    def _modern(self) -> dict[str, Method]:
        return {
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "tools/call": self._call,
            "tasks/get": self._get_task,
            "tasks/update": self._update_task,
            "tasks/cancel": self._cancel_task,
            "subscriptions/listen": self._listen,
        }

    @property
    def _legacy(self) -> dict[str, Method]:
        return {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "tools/call": self._call,
            "tasks/get": self._get_task,
            "tasks/result": self._task_result,
            "tasks/list": self._list_tasks,
            "tasks/cancel": self._cancel_task,
        }

    async def _initialize(self) -> Answered:
        asked, capabilities = self._rpc.params.get("protocolVersion"), self._rpc.params.get("capabilities")
        result: dict[str, Any] = {
            "protocolVersion": asked if asked in LEGACY else LEGACY[0],
            "capabilities": {
                "tools": {},
                "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
            },
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }
        elicits = isinstance(capabilities, dict) and elicits_forms(capabilities)  # pyright: ignore[reportUnknownArgumentType]
        headers = ((SESSION_HEADER, f"{uuid4().hex}{ELICITS}"),) if elicits else ()
        return answer_of({"id": self._rpc.id, "result": result}, 200, *headers)

    async def _ping(self) -> Answered:
        return self._result({})

    async def _discover(self) -> Answered:
        told: dict[str, Any] = {
            "supportedVersions": list(VERSIONS),
            "capabilities": {"tools": {}, "extensions": {TASKS: {}}},
            "instructions": INSTRUCTIONS,
        }
        return self._result({**told, "ttlMs": LISTED_MS, "cacheScope": "public"})

    async def _list_tools(self) -> Answered:
        tools = [tool.listed for tool in self._tools.values()]
        if self._rpc.modern:
            return self._result({"tools": tools, "ttlMs": LISTED_MS, "cacheScope": "public"})
        for tool in tools:
            if self._tools[tool["name"]].tasks:
                tool["execution"] = {"taskSupport": "optional"}
        return self._result({"tools": tools})

    async def _call(self) -> Answered:
        name = self._rpc.params.get("name")
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise RpcError(BAD_PARAMS, f"There is no tool {name!r}.")
        try:
            outcome = await self._resumed() or await tool.call(self._caller, self._rpc.params.get("arguments"))
        except (Unavailable, Unauthenticated, RpcError):
            raise
        except PerdureError as error:
            return self._result(refused(error))
        if isinstance(outcome, Said):
            return self._result(said(outcome))
        if tool.tasks and self._rpc.tasks:
            task = await self._tasks.read(outcome.id)
            return self._result(standing(task, modern=True, elicits=self._rpc.elicits), "task")
        if tool.tasks and not self._rpc.modern and isinstance(self._rpc.params.get("task"), dict):
            task = await self._tasks.read(outcome.id)
            return self._result({"task": standing(task, modern=False, elicits=self._rpc.elicits)})
        return self._waited(outcome)

    async def _resumed(self) -> Turn | None:
        """The turn that a call is about which comes again with what was asked meanwhile."""
        state = self._rpc.params.get("requestState")
        if not self._rpc.modern or state is None:
            return None
        turn = turn_named(state)
        await self._decide(turn, self._rpc.params.get("inputResponses"))
        return Turn(turn)

    def _waited(self, turn: Turn, result: Callable[[Task], dict[str, Any]] = outcome_of) -> Answered:
        """What a turn comes to, or where it stands when the client has waited long enough."""
        legacy_asks = self._rpc.elicits and not self._rpc.modern
        if self._rpc.streams and (self._rpc.progress_token is not None or legacy_asks):
            return Streamed(turn.id.chat_id, self._streamed(turn, result))
        return Awaited(self._awaited(turn, result))

    async def _awaited(self, turn: Turn, result: Callable[[Task], dict[str, Any]]) -> Answer:
        try:
            return self._final(await last(self._moves(turn)), result)
        except Ended:
            unavailable = Unavailable("This replica shuts down. Call wait_for_chat.")
            return error_answer(self._rpc.id, rpc_error(unavailable))

    async def _streamed(self, turn: Turn, result: Callable[[Task], dict[str, Any]]) -> AsyncIterator[bytes]:
        # Something at once: until then the client does not know that it is heard.
        yield b": at work\n\n"
        told, asked = 0, set[str]()
        task = None
        async for task in self._moves(turn):
            steps = [step for event in task.events if (step := step_of(event))]
            for step in steps[told:]:
                told += 1
                if self._rpc.progress_token is not None:
                    yield frame(self._progress(told, step))
            if self._rpc.elicits and not self._rpc.modern:
                for key in questions_of(task).keys() - asked:
                    asked.add(key)
                    yield frame(self._question(task, key))
        assert task is not None
        yield frame(self._body(self._final_result(task, result)))

    async def _moves(self, turn: Turn) -> AsyncGenerator[Task]:
        """Where the turn stands, until nothing more is to be waited for."""
        async for task in within(self._tasks.follow(turn.id), turn.wait_s):
            yield task
            legacy_asks = self._rpc.elicits and not self._rpc.modern
            if task.status is TaskStatus.INPUT_REQUIRED and not legacy_asks:
                return

    def _final(self, task: Task, result: Callable[[Task], dict[str, Any]]) -> Answer:
        return answer_of(self._body(self._final_result(task, result)))

    def _final_result(self, task: Task, result: Callable[[Task], dict[str, Any]]) -> dict[str, Any]:
        if self._rpc.modern and self._rpc.elicits and task.status is TaskStatus.INPUT_REQUIRED:
            asks = {"inputRequests": input_requests(task), "requestState": task_id(task.turn)}
            return complete(asks, "input_required")
        return complete(result(task)) if self._rpc.modern else result(task)

    def _progress(self, step: int, message: str) -> dict[str, Any]:
        params = {"progressToken": self._rpc.progress_token, "progress": step, "message": message}
        return {"method": "notifications/progress", "params": params}

    def _question(self, task: Task, key: str) -> dict[str, Any]:
        """A form, asked under a name that says which one it is: its answer may reach another replica."""
        params = {**questions_of(task)[key], "_meta": related(task)}
        return {"id": f"{task_id(task.turn)}/{key}", "method": "elicitation/create", "params": params}

    async def _take_answer(self) -> None:
        name, _, key = str(self._rpc.id).partition("/")
        if self._rpc.message.result is not UNSET:
            await self._decide(turn_named(name), {key: self._rpc.message.result})

    async def _decide(self, turn: TurnId, answers: Any) -> None:
        task = await self._tasks.read(turn)
        given: dict[str, Any] = answers if isinstance(answers, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        body = decisions_of(task, given)
        if body is not None:
            # Somebody may have decided on the page meanwhile.
            with suppress(TransitionNotAllowed):
                await act(self._caller, turn.chat_id, fitting(body))

    async def _get_task(self) -> Answered:
        task = await self._tasks.read(self._turn)
        if self._rpc.modern:
            return self._result(detailed(task, elicits=self._rpc.elicits))
        return self._result(standing(task, modern=False, elicits=self._rpc.elicits))

    async def _update_task(self) -> Answered:
        answers = self._rpc.params.get("inputResponses")
        if not isinstance(answers, dict):
            raise RpcError(BAD_PARAMS, "inputResponses is missing or is not an object.")
        await self._decide(self._turn, answers)
        return self._result({})

    async def _task_result(self) -> Answered:
        turn = Turn((await self._tasks.read(self._turn)).turn, float("inf"))
        return self._waited(turn, lambda task: {**outcome_of(task), "_meta": related(task)})

    async def _list_tasks(self) -> Answered:
        cursor = self._rpc.params.get("cursor")
        page = await list_chats(self._caller, ListQuery(cursor=cursor if isinstance(cursor, str) else None))
        found: list[dict[str, Any]] = []
        for card in page.items:
            seen = await self._caller.chats.read(card.id)
            if seen.chat.turn and seen.own:
                task = await self._tasks.newest(seen)
                found.append(standing(task, modern=False, elicits=self._rpc.elicits))
        told: dict[str, Any] = {"tasks": found}
        return self._result(told if page.next_cursor is None else {**told, "nextCursor": page.next_cursor})

    async def _cancel_task(self) -> Answered:
        task = await self._tasks.read(self._turn)
        await self._caller.chats.shared(task.turn.chat_id)
        if task.ended is None:
            with suppress(TransitionNotAllowed):
                await interrupt(self._caller, task.turn.chat_id, TurnBody(turn=task.turn.number))
        elif not self._rpc.modern:
            raise RpcError(BAD_PARAMS, f"The task is over: it is {task.status.value}.")
        if self._rpc.modern:
            return self._result({})
        stopped = await last(within(self._tasks.follow(task.turn), CANCEL_WAIT_S))
        return self._result(standing(stopped, modern=False, elicits=self._rpc.elicits))

    async def _listen(self) -> Answered:
        """Tell how tasks go. What we list never changes while we run, so that nothing is told of it."""
        wanted = self._rpc.params.get("notifications")
        names: Any = wanted.get("taskIds") if isinstance(wanted, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if names is not None and not self._rpc.tasks:
            raise needs_tasks()
        if not isinstance(names, list | None) or len(names or ()) > MOST_TASKS:  # pyright: ignore[reportUnknownArgumentType]
            raise RpcError(BAD_PARAMS, f"taskIds is a list of at most {MOST_TASKS} tasks.")
        turns = [turn_named(name) for name in names or ()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        for turn in turns:
            await self._tasks.read(turn)
        assert self._rpc.id is not UNSET
        return Streamed(
            turns[0].chat_id if turns else None,
            listened(self._rpc.id, turns, self._tasks, elicits=self._rpc.elicits),
        )

    @property
    def _turn(self) -> TurnId:
        return turn_named(self._rpc.params.get("taskId"))

    def _body(self, result: dict[str, Any]) -> dict[str, Any]:
        return {"id": self._rpc.id, "result": result}

    def _result(self, result: dict[str, Any], kind: str = "complete") -> Answer:
        return answer_of(self._body(complete(result, kind) if self._rpc.modern else result))


def rpc_error(error: PerdureError) -> RpcError:
    match error:
        case RpcError():
            return error
        case InvalidInput() | NotFound():
            return RpcError(BAD_PARAMS, str(error))
        case Unavailable():
            return RpcError(UNAVAILABLE, str(error), status=503)
        case NotAllowed():
            return RpcError(INVALID_REQUEST, str(error))
        case _:
            return RpcError(INTERNAL, str(error))
