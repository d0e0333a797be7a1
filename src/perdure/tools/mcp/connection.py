"""One server for one person: connected when it is needed, kept open, and left alone for a while when it is down."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from perdure.core.timing import Clock
from perdure.tools.mcp.messages import (
    Asked,
    Brought,
    CallResult,
    ListedTool,
    NotDelivered,
    Refusal,
    Session,
    SignInNeeded,
    Task,
    TaskState,
    TaskStatus,
    Unreachable,
)

MCP_DOWN = timedelta(minutes=1)
MCP_POLL_FIRST = timedelta(milliseconds=500)
MCP_POLL_LONGEST = timedelta(seconds=30)
MCP_TASK_SILENCE = timedelta(minutes=15)
"""How long a server may be away that has a task of ours."""
Connect = Callable[[Callable[[], None]], Awaitable[Session]]


class Connection:
    """What is known of a server outlives its sessions: its tools are still offered while it is away."""

    def __init__(self, connect: Connect, clock: Clock) -> None:
        self._open_session = connect
        self._clock = clock
        self._session: Session | None = None
        self._connecting = asyncio.Lock()
        self._listing = asyncio.Lock()
        self._known: tuple[ListedTool, ...] | None = None
        self._current = False
        """Whether what is known is what the server says now."""
        self._down: tuple[float, Unreachable] | None = None
        self.used = clock.monotonic()
        self.connected = 0
        """How often it was connected."""
        self.version = 0
        """Moves when the server says that its tools are not the same."""

    @property
    def open(self) -> bool:
        return self._session is not None and self._session.alive

    @property
    def trouble(self) -> str | None:
        """Why it is left alone just now."""
        return str(self._down[1]) if self._down is not None and self._down[0] > self._clock.monotonic() else None

    async def tools(self) -> tuple[ListedTool, ...]:
        """Its tools: asked for once and again when they changed. While it is away, those that it had."""
        try:
            return await self._listed()
        except Unreachable:
            if self._known is None:
                raise
            return self._known

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        show: Callable[[str], None],
        *,
        as_task: bool = False,
        brought: Brought | None = None,
    ) -> CallResult | Task | Asked:
        session = await self._live()
        try:
            return await session.call(tool, arguments, show, as_task=as_task, brought=brought)
        except NotDelivered:
            # It was restarted: nothing was carried out, so that a second try does nothing twice.
            session = await self._live()
            return await session.call(tool, arguments, show, as_task=as_task, brought=brought)

    async def followed(
        self, task: str, show: Callable[[str], None], answers: Mapping[str, Any] | None = None
    ) -> TaskState:
        """A task once it is over, or asks something else than what is answered here.

        A server that is away is waited for: the task is not.
        """
        shown, heard, owed = "", self._clock.monotonic(), dict(answers or {})
        while True:
            poll_s = MCP_POLL_FIRST.total_seconds()
            try:
                state = await self._looked(task, owed)
                owed, heard = {}, self._clock.monotonic()
            except SignInNeeded:
                raise
            except Unreachable:
                if self._clock.monotonic() - heard > MCP_TASK_SILENCE.total_seconds():
                    raise
            else:
                if state.message and state.message != shown:
                    shown = state.message
                    show(f"{shown}\n")
                if state.status is not TaskStatus.WORKING and not _answered(state, answers or {}):
                    return state
                poll_s = max(poll_s, state.poll_s)
            await self._clock.sleep(min(poll_s, MCP_POLL_LONGEST.total_seconds()))

    async def _looked(self, task: str, owed: dict[str, Any]) -> TaskState:
        """Where a task stands, after the answers that it may not have yet: it takes one to a question."""
        session = await self._live(insist=True)
        if not owed:
            return await session.look(task)
        try:
            await session.answer(task, owed)
        except Refusal:
            # Somebody brought them before, and it has gone on.
            state = await session.look(task)
            if state.status is TaskStatus.INPUT_REQUIRED:
                raise
            return state
        return await session.look(task)

    async def cancel(self, task: str) -> None:
        await (await self._live(insist=True)).cancel(task)

    async def close(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def _listed(self) -> tuple[ListedTool, ...]:
        session = await self._live()
        async with self._listing:
            if self._known is None or not self._current:
                self._check_up()
                version = self.version
                self._known = await self._asked(session)
                self._current = version == self.version
            return self._known

    async def _asked(self, session: Session) -> tuple[ListedTool, ...]:
        """What the server says. One that does not say it is left alone for a while, like one that does not answer."""
        try:
            return await session.tools()
        except SignInNeeded:
            raise
        except Unreachable as error:
            self._leave_alone(error)
            raise

    async def _live(self, *, insist: bool = False) -> Session:
        """A session that is open. Whoever insists also asks a server that is left alone."""
        self.used = self._clock.monotonic()
        if self._session is not None and self._session.alive:
            return self._session
        async with self._connecting:
            if self._session is not None and self._session.alive:
                return self._session
            if not insist:
                self._check_up()
            return await self._connect()

    async def _connect(self) -> Session:
        try:
            self._session = await self._open_session(self._changed)
        except SignInNeeded:
            raise
        except Unreachable as error:
            self._leave_alone(error)
            raise
        self._down = None
        self.connected += 1
        # A server that was away may have come back with other tools.
        self._current = False
        return self._session

    def _check_up(self) -> None:
        if self._down is not None and self._down[0] > self._clock.monotonic():
            raise self._down[1]

    def _leave_alone(self, error: Unreachable) -> None:
        self._down = self._clock.monotonic() + MCP_DOWN.total_seconds(), error

    def _changed(self) -> None:
        self.version += 1
        self._current = False


def _answered(state: TaskState, answers: Mapping[str, Any]) -> bool:
    """Whether a task asks only what it was told. No other question of it ever has the same key."""
    asks = state.status is TaskStatus.INPUT_REQUIRED and bool(state.questions)
    return asks and all(question.key in answers for question in state.questions)
