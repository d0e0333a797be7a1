"""Calls that become tasks of an MCP server, while those who ask and those who do it are killed at every step."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web

from perdure.faces.finding import keyed_chat
from perdure.sim.script import Call, Script, Step, Text
from perdure.store.pool import open_pool
from perdure.testing.fleet import AT_REST, Fleet, open_fleet
from perdure.testing.polling import seen
from perdure.testing.postgres import Databases
from perdure.testing.served_api import Response

BEGIN = "perdure__begin_chat"
ENDING = str(Path(__file__).with_name("ending_when_told.py"))
LOOKS = '[[call:read_skill {"name": "x"}]] [[then]]'
"""What the chat below does first, and is not allowed to without asking."""
PATIENCE = timedelta(minutes=2)
HOST, SERVER = "host", "server"


@dataclass(frozen=True, slots=True)
class AtPoint:
    """Whoever of a deployment first comes to a point of its work is killed there."""

    side: str
    point: str


@dataclass(frozen=True, slots=True)
class OnTheWire:
    """These are killed when a request is on its way, or when its answer is: the other side never has it."""

    method: str
    answered: bool
    sides: tuple[str, ...]


STEPS: tuple[AtPoint | OnTheWire, ...] = (
    *(AtPoint(HOST, f"tools.{point}") for point in ("started", "handed", "ran", "journaled", "shown", "committed")),
    *(AtPoint(SERVER, f"generate.{point}") for point in ("prepared", "streaming", "answered", "committed", "landed")),
    *(AtPoint(SERVER, f"tools.{point}") for point in ("prepared", "ran", "committed")),
    *(
        OnTheWire(method, answered, sides)
        for method in ("tools/call", "tasks/get", "tasks/update")
        for answered in (False, True)
        for sides in ((HOST,), (SERVER,), (HOST, SERVER))
    ),
)


@dataclass(slots=True, eq=False)
class Wire:
    """Between the two: it hands requests to a server that lives, and stops where somebody is to be killed."""

    servers: Fleet
    http: aiohttp.ClientSession
    at: int = 0
    """Which server has the requests, while it lives."""
    stop: OnTheWire | None = None
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def stops_at(self, step: OnTheWire) -> None:
        self.stop = step
        self.stopped.clear()
        self.go_on.clear()

    async def handed_on(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        method = msgspec.json.decode(body).get("method") if body else None
        await self._maybe_cut(request, method, answered=False)
        answer = await self._asked(request, body)
        await self._maybe_cut(request, method, answered=True)
        return answer

    async def _maybe_cut(self, request: web.Request, method: object, *, answered: bool) -> None:
        step = self.stop
        if step is None or (step.method, step.answered) != (method, answered):
            return
        self.stop = None
        self.stopped.set()
        await self.go_on.wait()
        raise self._cut_off(request)

    async def _asked(self, request: web.Request, body: bytes) -> web.StreamResponse:
        kept = {
            name: value for name, value in request.headers.items() if name.lower() not in ("host", "content-length")
        }
        headers = {**kept, "Authorization": f"Bearer {self.servers.person.token}"}
        while True:
            server = self.servers.replicas[self.at]
            try:
                async with self.http.request(
                    request.method, f"{server.url}{request.path_qs}", data=body, headers=headers
                ) as got:
                    return web.Response(status=got.status, body=await got.read(), content_type=got.content_type)
            except aiohttp.ClientConnectorError:
                # It is gone, and was asked for nothing: the other one has the request.
                self.at = 1 - self.at
            except aiohttp.ClientError:
                # It went while it was asked.
                raise self._cut_off(request) from None

    def _cut_off(self, request: web.Request) -> asyncio.CancelledError:
        if request.transport is not None:
            request.transport.abort()
        return asyncio.CancelledError()


@dataclass(frozen=True, slots=True)
class Sides:
    """Two deployments: one whose chats call tools, and one whose chats are what those tools begin."""

    hosts: Fleet
    servers: Fleet
    wire: Wire
    folder: Path

    def fleet(self, side: str) -> Fleet:
        return self.hosts if side == HOST else self.servers

    async def trial(self, number: int, step: AtPoint | OnTheWire) -> None:
        """One call, whose task asks a person something, and what is killed in the middle of it."""
        self.wire.at = number % 2
        key = f"task-{number}"
        call = Call(BEGIN, {"message": f"{LOOKS} [[say:Result {number}.]]", "key": key})
        self.hosts.sim.script(Script(key, (Step((call,)), Step((Text("Done."),)))))
        killing = self._kill_at(step) if isinstance(step, AtPoint) else self._kill_on_the_wire(step)
        async with asyncio.timeout(PATIENCE.total_seconds()), asyncio.TaskGroup() as group:
            group.create_task(killing)
            chat = await self.hosts.asks(number % 2, f"[[script:{key}]]")
            group.create_task(self._comes_to_its_result(chat, f"Result {number}.", key))
        for fleet in (self.hosts, self.servers):
            for each, replica in enumerate(fleet.replicas):
                if not replica.alive:
                    await fleet.comes_back(each)

    async def _kill_at(self, step: AtPoint) -> None:
        fleet = self.fleet(step.side)
        (self.folder / step.side / step.point).touch()
        ending = [asyncio.ensure_future(replica.process.wait()) for replica in fleet.replicas]
        try:
            await asyncio.wait(ending, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ending:
                each.cancel()
        await fleet.is_dead(next(each for each, replica in enumerate(fleet.replicas) if not replica.alive))

    async def _kill_on_the_wire(self, step: OnTheWire) -> None:
        self.wire.stops_at(step)
        await self.wire.stopped.wait()
        if HOST in step.sides:
            await self.hosts.dies(await self._driver())
        if SERVER in step.sides:
            await self.servers.dies(self.wire.at)
        self.wire.go_on.set()

    async def _driver(self) -> int:
        """Which host is at work: there is one chat at a time."""
        address = await self.hosts.pool.fetchval(
            "SELECT r.address FROM chats c JOIN replicas r ON r.id = c.worker_id WHERE c.status = 'running'"
        )
        return next(each for each, replica in enumerate(self.hosts.replicas) if replica.url.endswith(address))

    async def _comes_to_its_result(self, chat: str, wanted: str, key: str) -> None:
        """Somebody says what they are asked for, until the call has come to what it is for."""
        await seen(lambda: self._answered(chat, wanted, key), within=PATIENCE)
        assert (await self._results(chat)).count(wanted) == 1
        # However often it was asked for: one chat below, with one question and one answer.
        below = str(keyed_chat(self.servers.person.id, f"mcp:{key}"))
        said = await self.servers.said(_living(self.servers), below)
        assert (len(said), said[-1]) == (4, wanted)

    async def _answered(self, chat: str, wanted: str, key: str) -> bool:
        """Whether the turn is over with its result. What it waits for is decided; what failed is asked for again."""
        view = (await self._host("GET", f"/chats/{chat}")).json
        if view["action"] is not None:
            decisions = [
                {"call_id": call["call_id"], **_decided(view["action"], call)} for call in view["action"]["calls"]
            ]
            await self._host("POST", f"/chats/{chat}/action", {"decisions": decisions})
        if view["chat"]["status"] not in AT_REST:
            return False
        if wanted in await self._results(chat):
            return True
        # The call was on its way to a server that died: the agent was told that nobody knows.
        said = {"content": [{"type": "text", "text": f"[[script:{key}]]"}]}
        await self._host("POST", f"/chats/{chat}/messages", said)
        return False

    async def _results(self, chat: str) -> list[str]:
        page = (await self._host("GET", f"/chats/{chat}/messages?after=0")).json
        parts = [part for message in page["items"] for part in message["parts"]]
        return [part["result"] for part in parts if part["type"] == "tool_result"]

    async def _host(self, method: str, path: str, body: Any = None) -> Response:
        """Ask a host that lives, and another one when that dies before it has answered."""
        answers: list[Response] = []

        async def heard() -> bool:
            with suppress(aiohttp.ClientError):
                answers.append(await self.hosts.at(_living(self.hosts)).ask(method, path, body))
            return bool(answers) and answers[-1].status < 500

        await seen(heard, within=PATIENCE)
        return answers[-1]


def _decided(action: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    if action["kind"] == "outcome_unknown":
        # The call has a key: to repeat it does nothing twice.
        return {"decision": "repeat"}
    approved = {"action": "accept", "content": {"decision": "approve"}}
    return {"decision": "answer", "answers": {asked["key"]: approved for asked in call.get("questions", ())}}


def _living(fleet: Fleet) -> int:
    return next(each for each, replica in enumerate(fleet.replicas) if replica.alive)


@asynccontextmanager
async def deployment(databases: Databases, folder: Path, side: str) -> AsyncGenerator[Fleet]:
    """Two replicas that end when they are told to, on a database of their own."""
    (folder / side).mkdir()
    program = (ENDING, str(folder / side))
    async with (
        databases.fresh() as url,
        open_pool(url) as pool,
        open_fleet(url, pool, folder / f"data-{side}", first=program, others=program) as fleet,
    ):
        await fleet.ready()
        yield fleet


@asynccontextmanager
async def both_sides(databases: Databases, folder: Path) -> AsyncGenerator[Sides]:
    async with AsyncExitStack() as stack:
        hosts = await stack.enter_async_context(deployment(databases, folder, HOST))
        servers = await stack.enter_async_context(deployment(databases, folder, SERVER))
        wire = Wire(servers, await stack.enter_async_context(aiohttp.ClientSession()))
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", wire.handed_on)
        runner = web.AppRunner(app)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        await hosts.person.post(
            "/mcp-servers", {"slug": "perdure", "url": f"http://127.0.0.1:{runner.addresses[0][1]}/mcp", "auth": "none"}
        )
        await servers.person.ask("PUT", "/settings/approvals", {"value": {"read_skill": "ask"}})
        yield Sides(hosts, servers, wire, folder)


@pytest.mark.timeout(7200)
async def test_every_task_has_one_result_whoever_is_killed_at_whatever_step(
    databases: Databases, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    count = int(str(request.config.getoption("--tasks")))
    async with both_sides(databases, tmp_path) as sides:
        for number in range(count):
            # Few of them are spread over all steps.
            step = STEPS[number * max(1, len(STEPS) // count) % len(STEPS)]
            await sides.trial(number, step)
        assert await sides.servers.pool.fetchval("SELECT count(*) FROM chats") == count
