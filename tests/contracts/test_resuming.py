"""What every face that can resume promises: cut anywhere, kill the replica, resume on another, and nothing is missing
or told twice.
"""

import random
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import msgspec
import pytest
from tests.faces.editor import open_editor

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

THOUGHT = "Let me see what there is to say."
FIRST = "I look into the skill before anything else."
SECOND = "Nothing was found, so here comes a tale of my own:"
PROMPT = (
    f"[[think:{THOUGHT}]] [[gate:thought]] [[say:{FIRST}]] [[gate:said]] "
    '[[call:read_skill {"name": "x"}]] [[then]] [[gate:read]] '
    f"[[say:{SECOND}]] [[gate:told]] [[say:once upon a time all was well.]]"
)


def words(text: str) -> tuple[bytes, ...]:
    """A text's words as they are told, but for the first, which is told in two, and the last, which is told late."""
    return tuple(b'" %b"' % word.encode() for word in text.split()[1:-1])


MARKS = {"thought": words(THOUGHT), "said": words(FIRST), "read": (b"read_skill", b"no skill"), "told": words(SECOND)}
"""By the gate that is closed meanwhile: what shows how far an answer has come."""
_NAMES = re.compile(rb"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|(?:call|toolu)_[0-9A-Za-z]+")
_NUMBERS = re.compile(rb"(\"(?:created_at|completed_at|created|cached_tokens)\":)\d+")
"""When it was, and what the model had in its cache, which knows a question that is asked again after a kill."""


def nameless(events: list[bytes]) -> list[bytes]:
    """Events without what tells one chat from another."""
    return [_NUMBERS.sub(rb"\1", _NAMES.sub(b"NAME", event)) for event in events]


@dataclass(frozen=True, slots=True)
class Client:
    """Somebody at one replica."""

    http: aiohttp.ClientSession
    url: str

    async def events(self, method: str, path: str, body: Any = None, **headers: str) -> AsyncGenerator[bytes]:
        """Server-sent events, each with all that it says."""
        async with self.http.request(method, f"{self.url}{path}", json=body, headers=headers) as answer:
            assert answer.status == 200, await answer.text()
            waiting = b""
            async for piece in answer.content.iter_any():
                *whole, waiting = (waiting + piece).split(b"\n\n")
                for event in whole:
                    if not event.startswith(b"event: heartbeat"):
                        yield event

    async def json(self, method: str, path: str, body: Any = None) -> Any:
        async with self.http.request(method, f"{self.url}{path}", json=body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()


class Face:
    """How one protocol asks, and how it comes back. `name` is what the client calls its conversation."""

    repeats = True
    """Whether what comes after a cut begins anew, instead of after what was seen."""

    def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:
        raise NotImplementedError

    def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:
        raise NotImplementedError

    def is_read_again(self, client: Client) -> AsyncGenerator[bytes] | None:  # noqa: ARG002
        """All of it, by somebody whom nothing disturbs, where the protocol has that."""
        return None


class Responses(Face):
    repeats = False

    async def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:  # noqa: ARG002
        created = await client.json(
            "POST", "/v1/responses", {"model": "demo", "input": PROMPT, "background": True, "stream": False}
        )
        self._id: str = created["id"]
        async with aclosing(client.events("GET", f"/v1/responses/{self._id}?stream=true")) as events:
            async for event in events:
                yield event

    def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        return client.events("GET", f"/v1/responses/{self._id}?stream=true&starting_after={len(seen) - 1}")

    def is_read_again(self, client: Client) -> AsyncGenerator[bytes] | None:
        return client.events("GET", f"/v1/responses/{self._id}?stream=true")


class Completions(Face):
    """They have no word for coming back: the client asks again."""

    def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:
        body = {"model": "demo", "stream": True, "messages": [{"role": "user", "content": PROMPT}]}
        return client.events("POST", "/v1/chat/completions", body, **{"X-Conversation-Id": name})

    def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        return self.asks(client, name)


class AiSdk(Face):
    def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:
        said = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": PROMPT}]}
        return client.events("POST", "/ai/chat", {"id": name, "messages": [said], "model": "demo"})

    def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        return client.events("GET", f"/ai/chat/{name}/stream")


class AgUi(Face):
    def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:
        said = [{"id": "u1", "role": "user", "content": PROMPT}]
        return client.events("POST", "/ag-ui/demo", {"threadId": name, "runId": "r", "messages": said})

    async def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        body: dict[str, Any] = {"threadId": name, "runId": "r", "messages": []}
        async with aclosing(client.events("POST", "/ag-ui/demo", body)) as events:
            async for event in events:
                # What was said before the run; here it is the question alone.
                if b"MESSAGES_SNAPSHOT" not in event:
                    yield event


class A2a(Face):
    def _call(self, client: Client, method: str, params: dict[str, Any]) -> AsyncGenerator[bytes]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return client.events("POST", "/a2a/demo", body)

    def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:
        message = {"messageId": name, "role": "ROLE_USER", "parts": [{"text": PROMPT}]}
        return self._call(client, "SendStreamingMessage", {"message": message})

    def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        task = msgspec.json.decode(seen[0].removeprefix(b"data: "))["result"]["task"]
        return self._call(client, "SubscribeToTask", {"id": task["id"]})


class Acp(Face):
    """An editor. It and what it starts are gone with the replica; another one loads the session."""

    async def asks(self, client: Client, name: str) -> AsyncGenerator[bytes]:  # noqa: ARG002
        async with open_editor(client.url, client.http.headers["Authorization"].removeprefix("Bearer ")) as editor:
            self._id = (await editor.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
            answer = editor.begin("session/prompt", sessionId=self._id, prompt=[{"type": "text", "text": PROMPT}])
            async for update in editor.follows(answer):
                yield msgspec.json.encode(update)

    async def resumes(self, client: Client, name: str, seen: list[bytes]) -> AsyncGenerator[bytes]:  # noqa: ARG002
        async with open_editor(client.url, client.http.headers["Authorization"].removeprefix("Bearer ")) as editor:
            await editor.ask("session/load", sessionId=self._id, cwd="/tmp", mcpServers=[])
            await editor.hears("well.")
            for update in editor.shown():
                yield msgspec.json.encode(update)


FACES: dict[str, Callable[[], Face]] = {
    "responses": Responses,
    "completions": Completions,
    "ai-sdk": AiSdk,
    "ag-ui": AgUi,
    "a2a": A2a,
    "acp": Acp,
}


async def all_of(events: AsyncGenerator[bytes]) -> list[bytes]:
    return [event async for event in events]


async def until(events: AsyncGenerator[bytes], mark: bytes) -> list[bytes]:
    seen: list[bytes] = []
    async with aclosing(events):
        async for event in events:
            seen.append(event)
            if mark in event:
                return seen
    raise AssertionError(f"{mark!r} never came")


class Trial:
    """One face in front of two replicas, of which one is killed again and again."""

    def __init__(self, fleet: Fleet, face: Face, http: aiohttp.ClientSession) -> None:
        self._fleet = fleet
        self._face = face
        self._http = http
        self.undisturbed: list[bytes] = []
        self._said: list[str] = []

    def _at(self, number: int) -> Client:
        return Client(self._http, self._fleet.replicas[number].url)

    async def runs_undisturbed(self) -> None:
        await self._gates(closed=None)
        self.undisturbed = nameless(await all_of(self._face.asks(self._at(0), str(uuid4()))))
        self._said = await self._newest()

    async def is_cut_at(self, gate: str, mark: bytes, run: int) -> list[bytes]:
        """What a client has in the end that saw this when the replica was killed."""
        victim, other = run % 2, 1 - run % 2
        await self._gates(closed=gate)
        name = str(uuid4())
        seen = await until(self._face.asks(self._at(victim), name), mark)
        await self._fleet.dies(victim)
        await self._gates(closed=None)
        rest = await all_of(self._face.resumes(self._at(other), name, seen))
        assert await self._newest() == self._said
        if (again := self._face.is_read_again(self._at(other))) is not None:
            # Byte for byte.
            assert seen + rest == await all_of(again)
        await self._fleet.comes_back(victim)
        return nameless(rest if self._face.repeats else seen + rest)

    def places(self, count: int) -> list[tuple[str, bytes]]:
        """Where it is cut: anywhere that this face tells of."""
        shown = [(gate, mark) for gate, marks in MARKS.items() for mark in marks if self._tells(mark)]
        return random.Random(18).choices(shown, k=count)

    def _tells(self, mark: bytes) -> bool:
        return any(mark in event for event in self.undisturbed)

    async def _newest(self) -> list[str]:
        rows = "SELECT id FROM chat_cards ORDER BY created_at DESC LIMIT 1"
        alive = next(number for number, each in enumerate(self._fleet.replicas) if each.alive)
        return await self._fleet.said(alive, str(await self._fleet.pool.fetchval(rows)))

    async def _gates(self, *, closed: str | None) -> None:
        for gate in MARKS:
            await self._fleet.sim.gates[gate].set(open=gate != closed)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", FACES)
async def test_a_client_that_is_cut_by_a_kill_has_what_an_undisturbed_one_has(
    name: str, request: pytest.FixtureRequest, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await fleet.ready()
        headers = {"Authorization": f"Bearer {fleet.person.token}"}
        async with aiohttp.ClientSession(headers=headers) as http:
            trial = Trial(fleet, FACES[name](), http)
            await trial.runs_undisturbed()
            for run, (gate, mark) in enumerate(trial.places(int(str(request.config.getoption("--cuts"))))):
                assert await trial.is_cut_at(gate, mark, run) == trial.undisturbed, mark
