"""`perdure acp`: a real process, spoken to as an editor does, in front of a replica."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from perdure.access.secret_texts import TOKEN_PREFIX, digest, mint
from perdure.agent.prepare import Policy, Rules
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.testing.served_api import listening
from perdure.tools.builtin import BUILTIN_TOOLS

PERDURE = Path(sys.executable).with_name("perdure")
ASKED = '[[think:Hm.]] [[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'


class Editor:
    """One editor: asks, is told, and is asked."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.updates: list[dict[str, Any]] = []
        self.told = asyncio.Event()
        self.permissions: list[dict[str, Any]] = []
        self.choice = "approve"

    async def listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message: dict[str, Any] = msgspec.json.decode(line)
            match message:
                case {"method": "session/update", "params": {"update": update}}:
                    self.updates.append(update)
                    self.told.set()
                case {"method": "session/request_permission", "id": number, "params": params}:
                    self.permissions.append(params)
                    outcome = {"outcome": {"outcome": "selected", "optionId": self.choice}}
                    self._say({"id": number, "result": outcome})
                case {"id": number}:
                    self._answers[number].set_result(message)
                case _:
                    raise AssertionError(message)

    def begin(self, method: str, **params: Any) -> "asyncio.Future[dict[str, Any]]":
        number = len(self._answers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._say({"id": number, "method": method, "params": params})
        return answer

    async def ask(self, method: str, **params: Any) -> Any:
        return (await self.begin(method, **params)).get("result")

    async def prompts(self, session: str, text: str) -> str:
        answer = await self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])
        return answer["stopReason"]

    def notify(self, method: str, **params: Any) -> None:
        self._say({"method": method, "params": params})

    def said(self, kind: str = "agent_message_chunk") -> str:
        return "".join(update["content"]["text"] for update in self.updates if update["sessionUpdate"] == kind)

    async def hears(self, text: str) -> None:
        while text not in self.said():
            self.told.clear()
            await self.told.wait()

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as sim:
        yield sim


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url) as replica:
        replica.tools.tools = BUILTIN_TOOLS
        await replica.offers()
        yield replica


@asynccontextmanager
async def editor(replica: InProcessReplica) -> AsyncGenerator[Editor]:
    token = mint(TOKEN_PREFIX)
    await replica.pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{chat}')",
        digest(token),
        replica.user,
    )
    async with listening(replica.replica.asgi) as url:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(PERDURE, "acp", "--url", url, "--token", token), stdin=pipe, stdout=pipe
        )
        opened = Editor(process)
        listener = asyncio.create_task(opened.listen())
        try:
            assert (await opened.ask("initialize", protocolVersion=1))["protocolVersion"] == 1
            yield opened
        finally:
            process.kill()
            await process.wait()
            await asyncio.gather(listener, return_exceptions=True)


async def test_an_editor_sees_thoughts_calls_and_answers(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(session, ASKED) == "end_turn"
        assert (ours.said("agent_thought_chunk"), ours.said()) == ("Hm.", "I look.Nothing there.")
        calls = [update for update in ours.updates if update["sessionUpdate"].startswith("tool_call")]
        assert [(call["sessionUpdate"], call["status"]) for call in calls] == [
            ("tool_call", "pending"),
            ("tool_call_update", "failed"),
        ]


async def test_a_session_outlives_its_editor(replica: InProcessReplica, sim: Simulator) -> None:
    async with editor(replica) as first:
        session = (await first.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        said = [{"type": "text", "text": "[[say:Some words.]] [[gate:open]] [[say:The rest.]]"}]
        first.begin("session/prompt", sessionId=session, prompt=said)
        await first.hears("Some")
    async with editor(replica) as second:
        assert [each["sessionId"] for each in (await second.ask("session/list"))["sessions"]] == [session]
        await second.ask("session/load", sessionId=session, cwd="/tmp", mcpServers=[])
        await sim.gates["open"].set(open=True)
        await second.hears("The rest.")
        assert second.said() == "Some words.The rest."
        assert await second.prompts(session, "[[say:And on.]]") == "end_turn"
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_stop_ends_the_turn(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        said = [{"type": "text", "text": "[[say:Some words.]] [[gate:never]] [[say:Not these.]]"}]
        answer = ours.begin("session/prompt", sessionId=session, prompt=said)
        await ours.hears("Some")
        ours.notify("session/cancel", sessionId=session)
        assert (await answer)["result"] == {"stopReason": "cancelled"}
        assert ours.said() == "Some words."


@pytest.mark.parametrize("choice", ["approve", "deny"])
async def test_the_editor_is_asked_for_permission(replica: InProcessReplica, choice: str) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    async with editor(replica) as ours:
        ours.choice = choice
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(session, ASKED) == "end_turn"
        (asked,) = ours.permissions
        assert [option["kind"] for option in asked["options"]] == ["allow_once", "allow_always", "reject_once"]
        (result,) = (update for update in ours.updates if update["sessionUpdate"] == "tool_call_update")
        assert ("There is no skill" in str(result["content"])) == (choice == "approve")


async def test_what_makes_no_sense_is_an_error_and_ends_nothing(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        assert (await ours.begin("session/prompt", sessionId="no", prompt=[]))["error"]["code"] == -32002
        assert (await ours.begin("session/load", sessionId="no"))["error"]["code"] == -32002
        assert (await ours.begin("nothing/like/this"))["error"]["code"] == -32601
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert (await ours.begin("session/prompt", sessionId=session, prompt=[]))["error"]["code"] == -32602
        answer = await ours.begin(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "[[fault:auth]]"}]
        )
        assert "key" in answer["error"]["message"]
        other = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(other, "[[say:Better.]]") == "end_turn"
