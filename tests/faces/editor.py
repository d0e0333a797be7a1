"""An editor as far as `perdure acp` can tell: a process is spoken to in lines of JSON."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

PERDURE = Path(sys.executable).with_name("perdure")


class Editor:
    """One editor: asks, is told, and is asked."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.updates: list[dict[str, Any]] = []
        self.errors: list[Any] = []
        self.told = asyncio.Event()
        self.permissions: list[dict[str, Any]] = []
        self.forms: list[dict[str, Any]] = []
        self.answer: dict[str, Any] = {"action": "decline"}
        """What it says to a form."""
        self.choice: str | None = "approve"
        """What it answers; None while nobody looks at it."""

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
                    self.told.set()
                    if self.choice is not None:
                        outcome = {"outcome": {"outcome": "selected", "optionId": self.choice}}
                        self._say({"id": number, "result": outcome})
                case {"method": "elicitation/create", "id": number, "params": params}:
                    self.forms.append(params)
                    self._say({"id": number, "result": self.answer})
                case {"id": number}:
                    self.errors += [message["error"]] if "error" in message else []
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
        assert answer is not None, self.errors
        return answer["stopReason"]

    def notify(self, method: str, **params: Any) -> None:
        self._say({"method": method, "params": params})

    def said(self, kind: str = "agent_message_chunk") -> str:
        return "".join(update["content"]["text"] for update in self.updates if update["sessionUpdate"] == kind)

    async def is_asked(self) -> None:
        while not self.permissions:
            self.told.clear()
            await self.told.wait()

    async def hears(self, text: str) -> None:
        while text not in self.said():
            self.told.clear()
            await self.told.wait()

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    def shown(self) -> list[dict[str, Any]]:
        """What it was told of answers, without what it said itself."""
        return [update for update in self.updates if update["sessionUpdate"] != "user_message_chunk"]

    async def follows(self, answer: "asyncio.Future[dict[str, Any]]") -> AsyncGenerator[dict[str, Any]]:
        """What it is told until the answer to its request is there."""
        answer.add_done_callback(lambda _: self.told.set())
        told = 0
        while not answer.done() or told < len(self.updates):
            self.told.clear()
            while told < len(self.updates):
                yield self.updates[told]
                told += 1
            if not answer.done():
                await self.told.wait()


@asynccontextmanager
async def open_editor(url: str, token: str, **capabilities: Any) -> AsyncGenerator[Editor]:
    """An editor in front of a server."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(PERDURE, "acp", "--url", url, "--token", token), stdin=pipe, stdout=pipe
    )
    opened = Editor(process)
    listener = asyncio.create_task(opened.listen())
    try:
        told = await opened.ask("initialize", protocolVersion=1, clientCapabilities=capabilities)
        assert told["protocolVersion"] == 1
        yield opened
    finally:
        process.kill()
        await process.wait()
        await asyncio.gather(listener, return_exceptions=True)
