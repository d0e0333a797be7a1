"""One open connection to one server, held by a task of its own."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost
from mcp_types import CONNECTION_CLOSED, Implementation, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from perdure.core.timing import MCP_CONNECT, MCP_LONGEST_CALL
from perdure.core.version import product_version
from perdure.tools.mcp.messages import (
    Asked,
    Brought,
    CallResult,
    ListedTool,
    NoAnswer,
    NotDelivered,
    SignInNeeded,
    Task,
    TaskState,
    Unreachable,
)
from perdure.tools.mcp.protocol import tasks
from perdure.tools.mcp.protocol.asking import AskingClient, AsksPerson, again
from perdure.tools.mcp.protocol.translation import call_result, explained, listed
from perdure.tools.mcp.protocol.transports import TransportState, transport
from perdure.tools.mcp.transport import TransportOptions

MCP_PARTING = timedelta(milliseconds=200)
MCP_LISTEN_AGAIN = timedelta(seconds=5)
PAGES = 100
TOOLS = 2_000

_log = logging.getLogger(__name__)


@asynccontextmanager
async def _silence(seconds: float) -> AsyncGenerator[Callable[[], None]]:
    """A call may take as long as it tells of its progress."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds) as limit:
            yield lambda: limit.reschedule(loop.time() + seconds)
    except TimeoutError:
        raise NoAnswer("it gave no answer in time") from None


class OpenSession:
    """Speaks to a server until closed."""

    def __init__(self, options: TransportOptions, changed: Callable[[], None]) -> None:
        self._options = options
        self._changed = changed
        self._state = TransportState()
        self._client: Client | None = None
        self._holding: asyncio.Task[None] | None = None
        self._ended: Exception | None = None

    @classmethod
    async def to(cls, options: TransportOptions, changed: Callable[[], None]) -> "OpenSession":
        """Connect, or say why that is not possible. `changed` is called when the server's tools are not the same."""
        session = cls(options, changed)
        await session._open()
        return session

    @property
    def alive(self) -> bool:
        return self._holding is not None and not self._holding.done() and not self._state.over

    async def close(self) -> None:
        if self._holding is not None and not self._holding.done():
            self._end()
            await asyncio.wait({self._holding})

    async def tools(self) -> tuple[ListedTool, ...]:
        found: list[ListedTool] = []
        cursor: str | None = None
        async with self._errors(), asyncio.timeout(MCP_CONNECT.total_seconds()):
            for _ in range(PAGES):
                page = await self._connected.list_tools(cursor=cursor)
                found += map(listed, page.tools)
                cursor = page.next_cursor
                if cursor is None or len(found) >= TOOLS:
                    break
        return tuple(found[:TOOLS])

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        show: Callable[[str], None],
        *,
        as_task: bool = False,
        brought: Brought | None = None,
    ) -> CallResult | Task | Asked:
        session, patience = self._connected.session, self._patience
        if as_task and not tasks.modern(session):
            async with self._errors():
                return Task(await tasks.begin_legacy(session, tool, arguments, patience))
        async with self._errors(), _silence(patience) as heard:

            async def report(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
                heard()
                if message:
                    show(f"{message}\n")

            longest, more = MCP_LONGEST_CALL.total_seconds(), {} if brought is None else again(brought)
            try:
                return call_result(await self._connected.call_tool(tool, arguments, longest, report, **more))
            except tasks.BecameTask as became:
                return Task(became.name)
            except AsksPerson as asks:
                return asks.asked

    async def look(self, task: str) -> TaskState:
        async with self._errors():
            return await tasks.look(self._connected.session, task, self._patience)

    async def answer(self, task: str, answers: dict[str, Any]) -> None:
        async with self._errors():
            await tasks.update(self._connected.session, task, answers, self._patience)

    async def cancel(self, task: str) -> None:
        async with self._errors():
            await tasks.cancel(self._connected.session, task, self._patience)

    @property
    def _patience(self) -> float:
        return self._options.call_timeout.total_seconds()

    @property
    def _connected(self) -> Client:
        if self._client is None or not self.alive:
            raise self._ended or NotDelivered("the connection is closed")
        return self._client

    async def _open(self) -> None:
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._holding = asyncio.create_task(self._hold(ready))
        try:
            async with asyncio.timeout(MCP_CONNECT.total_seconds()):
                self._client = await asyncio.shield(ready)
        except TimeoutError:
            raise Unreachable(f"it did not answer within {MCP_CONNECT.total_seconds():.0f} s") from None
        finally:
            if self._client is None:
                await self.close()

    async def _hold(self, ready: "asyncio.Future[Client]") -> None:
        """Keep the connection open. One task enters and leaves it, as the package asks."""
        client = AskingClient(
            transport(self._options, self._state),
            message_handler=self._heard,
            client_info=Implementation(name="perdure", version=product_version()),
            cache=None,
            extensions=[tasks.TasksExtension()],
            elicitation_callback=tasks.filled if self._options.fills_forms else tasks.put_aside,
            # Little patience with calls is none with a server that takes its time to get up.
            read_timeout_seconds=max(self._options.call_timeout, MCP_CONNECT).total_seconds(),
        )
        try:
            async with client:
                if not ready.done():
                    ready.set_result(client)
                await self._follow(client)
        except Exception as error:  # noqa: BLE001 - whatever ends the connection is told to whoever waits for it
            self._ended = explained(error, self._state.status)
            _log.info("the connection to MCP server %s ended: %s", self._options.name, self._ended)
            if not ready.done():
                ready.set_exception(self._ended)
        finally:
            if not ready.done():
                ready.cancel()

    async def _follow(self, client: Client) -> None:
        """Until cancelled: hear that the tools changed. In the newer protocol one asks to be told."""
        tools = client.server_capabilities.tools
        while tools and tools.list_changed and client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            with suppress(SubscriptionLost, MCPError):
                async with client.listen(tools_list_changed=True) as events:
                    async for _ in events:
                        self._changed()
            await asyncio.sleep(MCP_LISTEN_AGAIN.total_seconds())
            # Nobody told us what changed in the meantime.
            self._changed()
        await asyncio.Event().wait()

    async def _heard(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._changed()

    @asynccontextmanager
    async def _errors(self) -> AsyncGenerator[None]:
        """The package's errors as ours. A connection that is of no use any more is ended."""
        try:
            yield
        except TimeoutError as error:
            raise NoAnswer(f"it gave no answer within {MCP_CONNECT.total_seconds():.0f} s") from error
        except Exception as error:
            raise await self._explained(error) from error

    async def _explained(self, error: Exception) -> Exception:
        meaning = explained(error, self._state.status)
        if self._holding is None:
            return meaning
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            # Why it is closed is known to the task that held it, a moment later.
            await asyncio.wait({self._holding}, timeout=MCP_PARTING.total_seconds())
            meaning = self._ended or meaning
            self._end()
        elif isinstance(meaning, (NotDelivered, SignInNeeded)):
            self._end()
        return meaning

    def _end(self) -> None:
        """Nothing more is asked here, although it takes a moment to leave."""
        self._state.over = True
        if self._holding is not None:
            self._holding.cancel()
