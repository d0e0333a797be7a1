"""What docs/architecture/adding.md says about events and states is walked: each is planted where it says, and works.

Dialects and tools are planted in tests/providers and tests/tools.
"""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture/adding.md").read_text()

Places = Mapping[str, tuple[tuple[str, str], ...]]
"""What is written where: a text that is there once, and what stands there afterwards. Without the first, a new file."""

TELLING = """\
    if before is None or before.chat.turn != view.chat.turn:
        yield TurnEvent(cursor=cursor, turn=view.chat.turn)
"""
EVENT: Places = {
    "core/events.py": (
        (
            "AnyEvent = (\n",
            'class TurnEvent(Event, frozen=True, kw_only=True, tag="turn"):\n    turn: int\n\n\nAnyEvent = (\n',
        ),
        ("    | PresenceEvent\n", "    | PresenceEvent\n    | TurnEvent\n"),
    ),
    "stream/view.py": (
        ("    StatusEvent,\n", "    StatusEvent,\n    TurnEvent,\n"),
        (
            "    if before is None or before.queue != view.queue:\n",
            f"{TELLING}    if before is None or before.queue != view.queue:\n",
        ),
    ),
    "client/transcript.py": (
        ("    StatusEvent,\n", "    StatusEvent,\n    TurnEvent,\n"),
        (
            "            case StatusEvent():\n",
            "            case TurnEvent():\n                self.turn = event.turn\n            case StatusEvent():\n",
        ),
    ),
    "web/src/chat/model/reducer.ts": (
        (
            '    case "status":\n',
            '    case "turn":\n      return { ...chat, turn: event.turn, cursor };\n    case "status":\n',
        ),
    ),
}
FOLLOWED = """
import asyncio, json, sys
from perdure.client.transcript import Transcript
from perdure.core.events import AnyEvent
from perdure.store.pool import open_pool
from perdure.stream.hubs import Hubs
from perdure.testing.scripted import ScriptedChats
import msgspec

async def main(url):
    async with open_pool(url) as pool:
        scripted = await ScriptedChats.set_up(pool)
        hubs = Hubs(pool, scripted.episodes)
        hubs.listen(scripted.announcer, scripted.pubsub)
        chat, transcript, turns = await scripted.create("hello"), Transcript(), []
        async with hubs.follow(chat.id, None) as subscription:
            while len(turns) < 2:
                batch = await asyncio.wait_for(subscription.next(), 30)
                for event in msgspec.json.decode(b"[" + b",".join(batch.json) + b"]", type=list[AnyEvent]):
                    transcript.add(event)
                    if event.__struct_config__.tag == "turn":
                        turns.append(transcript.turn)
                        sent = msgspec.to_builtins(event)
                if len(turns) == 1 and len(transcript.messages) == 1:
                    await chat.answer("hi")
                    await chat.send("and?")
    print(json.dumps([turns, sent]))

asyncio.run(main(sys.argv[1]))
"""
FOLDED = """
import { build } from "vite";
const made = await build({
  configFile: false, logLevel: "silent",
  build: { ssr: process.argv[1], write: false, minify: false },
});
const { reduce } = await import("data:text/javascript;base64," + Buffer.from(made.output[0].code).toString("base64"));
const chat = reduce({ connection: "open", cursor: null }, JSON.parse(process.argv[2]));
console.log(JSON.stringify([chat.turn, chat.cursor]));
"""

TRANSITIONS = """\
class Pause(Struct, frozen=True):
    def plan(self, chat: Chat) -> Change:
        return Change(status=Status.PAUSED)


class Resume(Struct, frozen=True):
    def plan(self, chat: Chat) -> Change:
        return Change(status=Status.WAITING)


"""
MIGRATION = """\
ALTER DOMAIN chat_status DROP CONSTRAINT chat_status_check;
ALTER DOMAIN chat_status ADD CONSTRAINT chat_status_check CHECK (VALUE IN
    ('waiting', 'running', 'interrupting', 'requires_action', 'error', 'paused'));
"""
STATE: Places = {
    "core/chat.py": (
        ('    ERROR = "error"\n', '    ERROR = "error"\n    PAUSED = "paused"\n'),
        ('    INVALID = "Invalid"\n', '    P0 = "P0"\n    INVALID = "Invalid"\n'),
        (
            "    (Status.ERROR, False, False)",
            "    (Status.PAUSED, False, False): State.P0,\n    (Status.ERROR, False, False)",
        ),
    ),
    "machine/diagram.py": (
        (
            "    Interrupt,\n    PromoteQueuedMessage,\n",
            "    Interrupt,\n    Pause,\n    PromoteQueuedMessage,\n    Resume,\n",
        ),
        (
            "        TakeIn: {W},\n    },\n",
            "        TakeIn: {W},\n        Pause: {State.P0},\n    },\n    State.P0: {Resume: {W}},\n",
        ),
    ),
    "machine/transitions/lifecycle.py": (
        (
            "class RequestCompaction(",
            f"{TRANSITIONS}class RequestCompaction(",
        ),
    ),
    "machine/transitions/__init__.py": (("    Create,\n", "    Create,\n    Pause,\n    Resume,\n"),),
    "store/migrations/9999_paused.sql": (("", MIGRATION),),
    "store/tables/invariants.sql": (("'requires_action', 'error')\n", "'requires_action', 'error', 'paused')\n"),),
    "tools/reports.py": (
        (
            "        case Status.ERROR:\n",
            '        case Status.PAUSED:\n            return "paused"\n        case Status.ERROR:\n',
        ),
    ),
    "web/src/chat/model/phase.ts": (
        ('    case "error":\n', '    case "paused":\n      return { kind: "idle" };\n    case "error":\n'),
    ),
}
PAUSED = """
import asyncio, json, sys
from perdure.core.chat import Status
from perdure.core.errors import TransitionNotAllowed
from perdure.machine.transitions import Pause, Resume, SendMessage
from perdure.store.invariants import INVARIANTS
from perdure.store.migrations.runner import migrate
from perdure.store.family import Agent
from perdure.store.pool import open_pool
from perdure.testing.chats import Chats, said
from perdure.testing.scripted import ScriptedChats
from perdure.tools.reports import report_of

async def main(url):
    async with open_pool(url) as pool:
        async with pool.acquire() as connection:
            applied = [migration.name for migration in await migrate(connection)]
        scripted = await ScriptedChats.set_up(pool)
        chats = Chats(scripted.machine, organisation_id=scripted.organisation_id, user_id=scripted.user_id)
        chat = await chats.at_rest()
        committed = await scripted.machine.change(chat.id, Pause())
        read = await scripted.machine.load(chat.id)
        try:
            refused = await scripted.machine.change(chat.id, SendMessage(said("hello", chats.user_id)))
        except TransitionNotAllowed as error:
            refused = error.state
        broken = [each for rule in INVARIANTS.values() for each in await rule.violations(pool, 10)]
        back = await scripted.machine.change(chat.id, Resume())
        texts = {"type": "", "title": "", "said": ""}
        agent = Agent(id=chat.id, parent_id=chat.id, status=read.status, error=None, cut_short=False, **texts)
        seen = [committed.chat.status, read.state.value, refused, report_of(agent).status, back.chat.status]
        print(json.dumps([applied, seen, len(broken)]))

asyncio.run(main(sys.argv[1]))
"""


def section(title: str) -> str:
    return PAGE.split(f"## {title}")[1].split("\n## ")[0]


def plant(places: Places, tree: Path) -> None:
    """The product, with this written into it."""
    shutil.copytree(ROOT / "src/perdure", tree / "src/perdure", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "web/src/chat/model", tree / "web/src/chat/model")
    for place, edits in places.items():
        path = tree / place if place.startswith("web/") else tree / "src/perdure" / place
        for old, new in edits:
            text = path.read_text() if old else ""
            assert not old or text.count(old) == 1, (place, old)
            path.write_text(text.replace(old, new) if old else new)


async def printed(*command: str | Path, cwd: Path) -> Any:
    process = await asyncio.create_subprocess_exec(*command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, errors.decode()
    return json.loads(out)


@pytest.mark.parametrize(
    ("title", "places", "most"), [("An event of the stream", EVENT, 4), ("A state of a chat", STATE, 8)]
)
def test_what_is_planted_is_planted_where_the_page_says(title: str, places: Places, most: int) -> None:
    numbered = re.findall(r"^\d\. .+?(?=^\d\. |^$|\Z)", section(title), re.MULTILINE | re.DOTALL)
    assert len(numbered) == most
    said = [name for line in numbered for name in re.findall(r"`([\w/]+(?:\.\w+|/))`", line)]
    assert [place for place in places if not any(place.startswith(name) for name in said)] == []


async def test_an_event_that_is_planted_is_told_and_folded(database_url: str, tmp_path: Path) -> None:
    plant(EVENT, tmp_path)
    told = await printed(sys.executable, "-c", FOLLOWED, database_url, cwd=tmp_path / "src")
    turns, event = told
    assert turns == [1, 3]
    folded = await printed(
        *("node", "--input-type=module", "-e", FOLDED),
        *(tmp_path / "web/src/chat/model/reducer.ts", json.dumps(event)),
        cwd=ROOT / "web",
    )
    assert folded == [3, event["cursor"]]


async def test_a_state_that_is_planted_is_entered_seen_and_left(database_url: str, tmp_path: Path) -> None:
    plant(STATE, tmp_path)
    told = await printed(sys.executable, "-c", PAUSED, database_url, cwd=tmp_path / "src")
    assert told == [["paused"], ["paused", "P0", "P0", "paused", "waiting"], 0]
