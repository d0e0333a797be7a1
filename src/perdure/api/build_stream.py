"""`GET /workspaces/{workspace_id}/build`: how a workspace is made, as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

import msgspec

from perdure.api.stream_access import StreamAccess
from perdure.core.errors import BuildFailed, InvalidInput, NotFound, PerdureError
from perdure.core.ids import WorkspaceId
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.transport import refuse
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.building import Progress, Stage

PATTERN = r"/workspaces/(?P<workspace_id>[^/]+)/build"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Step(msgspec.Struct, frozen=True, tag="progress", omit_defaults=True):
    """Where the build is, and what it printed there."""

    stage: Stage
    text: str = ""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The workspace is there."""


class Failed(msgspec.Struct, frozen=True, tag="failed", omit_defaults=True):
    """It could not be made. The detail is the end of what the build printed."""

    message: str
    stage: str = ""
    detail: str = ""


class BuildStream:
    """Makes what was only noted. It goes on when nobody listens any more."""

    def __init__(self, workspaces: Workspaces, access: StreamAccess) -> None:
        self._workspaces = workspaces
        self._access = access
        self._builds: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["type"] != "http":
                raise InvalidInput("Builds are streamed as server-sent events.")
            _, row = await self._access.enter_workspace(scope, _workspace_id(scope))
        except PerdureError as error:
            await refuse(self._access, error, scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        async for event in self._events(row):
            data = b"data: %b\n\n" % msgspec.json.encode(event)
            await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _events(self, row: WorkspaceRow) -> AsyncGenerator[Step | Ready | Failed]:
        told: asyncio.Queue[Progress | None] = asyncio.Queue()
        building = asyncio.create_task(self._workspaces.finish(row, told.put_nowait))
        self._builds.add(building)
        building.add_done_callback(lambda _: told.put_nowait(None))
        building.add_done_callback(self._builds.discard)
        while (step := await told.get()) is not None:
            yield Step(step.stage, step.text)
        try:
            await building
        except BuildFailed as error:
            yield Failed(str(error), error.stage, error.log_tail)
        except PerdureError as error:
            yield Failed(str(error))
        else:
            yield Ready()


def _workspace_id(scope: Scope) -> WorkspaceId:
    try:
        return WorkspaceId(UUID(scope["path_params"]["workspace_id"]))
    except ValueError:
        raise NotFound("Workspace not found.") from None
