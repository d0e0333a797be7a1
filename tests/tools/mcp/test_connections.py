"""A server that is there and says nothing: it costs its patience once in a while, not every step."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from perdure.core.timing import SystemClock
from perdure.tools.mcp.connection import MCP_DOWN, Connection
from perdure.tools.mcp.messages import Brought, CallResult, ListedTool, NoAnswer, Session, TaskState


class StandingClock(SystemClock):
    """Time that passes when a test says so."""

    seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


class Deaf:
    """A server that answers calls, and never says which tools it has."""

    alive = True
    asked = 0

    async def tools(self) -> tuple[ListedTool, ...]:
        self.asked += 1
        raise NoAnswer("it gave no answer in time")

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],  # noqa: ARG002
        show: Callable[[str], None],  # noqa: ARG002
        *,
        as_task: bool = False,  # noqa: ARG002
        brought: Brought | None = None,  # noqa: ARG002
    ) -> CallResult:
        return CallResult(text=tool)

    async def look(self, task: str) -> TaskState:
        raise NoAnswer(task)

    async def answer(self, task: str, answers: dict[str, Any]) -> None: ...

    async def cancel(self, task: str) -> None: ...

    async def close(self) -> None:
        self.alive = False


async def test_a_server_that_does_not_list_its_tools_is_asked_once_a_minute() -> None:
    deaf, clock = Deaf(), StandingClock()

    async def connect(changed: Callable[[], None]) -> Session:  # noqa: ARG001
        return deaf

    connection = Connection(connect, clock)
    heard = await asyncio.gather(*(connection.tools() for _ in range(3)), return_exceptions=True)
    assert [str(error) for error in heard] == ["it gave no answer in time"] * 3
    assert (deaf.asked, connection.trouble) == (1, "it gave no answer in time")
    assert await connection.call("known", {}, lambda _: None) == CallResult(text="known")
    clock.seconds += MCP_DOWN.total_seconds() + 1
    with pytest.raises(NoAnswer):
        await connection.tools()
    assert deaf.asked == 2
