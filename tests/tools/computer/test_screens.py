"""Turns that use a screen: offered in the provider's own words, approved, carried out in the workspace, shown."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from tests.workspaces.waiting import eventually, written

from perdure.core.action import ActionKind, Decision, Verdict
from perdure.core.chat import State, Status
from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.message import ToolCall, ToolResult
from perdure.machine.transitions import CompleteRequiresAction, Interrupt
from perdure.sim.script import Call, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.store.tables.templates import packed
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.testing.fakes import SimulatedModels
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.workspaces.service import Wish
from perdure.workspaces.wire import ProcessState

RECIPE = """description = "A workspace with a screen"
[computer]
command = "python3 /workspace/runner.py"
[computer.screen]
width = 640
height = 400
"""
# A screen that is always grey, and a runner that writes down what it was asked to do.
RUNNER = b"""
import os, struct, time, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
width, height = int(os.environ["COMPUTER_WIDTH"]), int(os.environ["COMPUTER_HEIGHT"])
header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
rows = zlib.compress((b"\\0" + b"\\x80" * width) * height)
with open("asked", "a") as asked:
    asked.write(os.environ["COMPUTER_ACTIONS"] + "\\n")
if "linger" in os.environ["COMPUTER_ACTIONS"]:
    time.sleep(60)
if "crash" in os.environ["COMPUTER_ACTIONS"]:
    raise SystemExit("the display is gone")
with open(os.environ["COMPUTER_SCREENSHOT"], "wb") as picture:
    picture.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
"""


@dataclass(frozen=True)
class Vendor:
    """How one vendor's models ask for a click and for some typing, and where the answer stands in the next request."""

    dialect: str
    offered: dict[str, Any]
    click: dict[str, Any]
    types: dict[str, Any]

    def shown(self, request: Any) -> list[str]:
        """The pictures of the screen in a request."""
        if self.dialect == "openai_responses":
            outputs = [item["output"] for item in request["input"] if item["type"] == "computer_call_output"]
            return [output["image_url"] for output in outputs if output["type"] == "computer_screenshot"]
        blocks = [block for message in request["messages"] for block in message["content"]]
        results = [block["content"] for block in blocks if block["type"] == "tool_result"]
        return [part["source"]["data"] for content in results for part in content if part["type"] == "image"]


ANTHROPIC = Vendor(
    "anthropic_messages",
    {"type": "computer_20251124", "name": "computer", "display_width_px": 640, "display_height_px": 400},
    {"action": "left_click", "coordinate": [10, 20]},
    {"action": "type", "text": "hello"},
)
OPENAI = Vendor(
    "openai_responses",
    {"type": "computer"},
    {"actions": [{"type": "click", "button": "left", "x": 10, "y": 20}]},
    {"actions": [{"type": "type", "text": "hello"}]},
)


class Desk:
    """A replica with a workspace that has a screen."""

    def __init__(self, replica: InProcessReplica, sim: Simulator, row: WorkspaceRow, tree: Path) -> None:
        self.replica, self.sim, self.row, self.tree = replica, sim, row, tree
        replica.tools.toolbox = replica.shipped

    @property
    def models(self) -> SimulatedModels:
        return self.replica.models

    async def tries(self, *calls: Call, **card: Any) -> ChatId:
        self.sim.script(Script("tries", (*(Step((call,)) for call in calls), Step((Says("I see."),)))))
        return await self.replica.someone_asks("[[script:tries]]", workspace_id=self.row.id, **card)

    async def results(self, chat: ChatId) -> list[ToolResult]:
        parts = [part for message in await self.replica.messages(chat) for part in message.parts]
        return [part for part in parts if isinstance(part, ToolResult)]

    def asked(self) -> list[Any]:
        """What the runner was asked to do, call by call."""
        return [msgspec.json.decode(line) for line in (self.tree / "asked").read_text().splitlines()]


@pytest.fixture
async def desk(database_url: str, pool: Pool) -> AsyncIterator[Desk]:
    async with (
        Simulator(rate=None) as sim,
        open_replica(database_url, pool, sim.url) as replica,
    ):
        insert = "INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, 'desk', $2, '', $3)"
        await pool.execute(insert, replica.organisation, RECIPE, packed({"runner.py": RUNNER}))
        await replica.sets(experiments=["computer_use"])
        wish = Wish(owner_id=replica.user, organisation_id=replica.organisation, template="desk", parameters={}, most=1)
        row = await replica.tool_services.workspaces.create(WorkspaceId(uuid4()), wish)
        yield Desk(replica, sim, row, replica.folder / str(row.id) / "tree")


def offers(request: Any) -> list[dict[str, Any]]:
    """The tools of a request, without the mark where its prompt may be cached."""
    return [{name: value for name, value in tool.items() if name != "cache_control"} for tool in request["tools"]]


AUTO = '{"approvals":{"computer":"auto"}}'


@pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI], ids=lambda vendor: vendor.dialect)
async def test_a_model_uses_the_screen_in_its_providers_own_words(desk: Desk, vendor: Vendor) -> None:
    desk.models.dialect, desk.models.computer = vendor.dialect, True
    chat = await desk.tries(Call("computer", vendor.click), Call("computer", vendor.types), settings=AUTO)
    rested = await desk.replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    assert desk.asked() == [[{"type": "click", "x": 10, "y": 20}], [{"type": "type", "text": "hello"}]]
    requests: list[Any] = [request.json for request in desk.sim.requests]
    assert [vendor.offered in offers(request) for request in requests] == [True, True, True]
    assert "computer" not in [tool.get("name") for tool in requests[0]["tools"] if "input_schema" in tool]
    assert [len(vendor.shown(request)) for request in requests] == [0, 1, 2]
    first, second = await desk.results(chat)
    assert (first.result, first.media[0].media_type) == ("Done.", "image/png")
    assert first.media[0].file_id != second.media[0].file_id


@pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI], ids=lambda vendor: vendor.dialect)
async def test_a_screen_that_fails_is_told_and_the_turn_goes_on(desk: Desk, vendor: Vendor) -> None:
    desk.models.dialect, desk.models.computer = vendor.dialect, True
    text = msgspec.json.decode(msgspec.json.encode(vendor.types).replace(b"hello", b"crash"))
    chat = await desk.tries(Call("computer", text), Call("computer", vendor.click), settings=AUTO)
    assert (await desk.replica.comes_to_rest(chat)).state is State.W
    failed, worked = await desk.results(chat)
    assert (failed.is_error, "the display is gone" in failed.result) == (True, True)
    assert not worked.is_error


async def test_a_person_is_asked_before_the_screen_is_used(desk: Desk) -> None:
    desk.models.computer = True
    chat = await desk.tries(Call("computer", ANTHROPIC.click))
    parked = await desk.replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    assert parked.action is not None
    assert parked.action.kind is ActionKind.APPROVAL
    decision = Decision(parked.open_calls[0].call_id, Verdict.APPROVE, "")
    await desk.replica.machine.change(chat, CompleteRequiresAction(decisions=[decision]))
    assert (await desk.replica.comes_to_rest(chat)).state is State.W
    assert len(desk.asked()) == 1


async def test_stopping_ends_what_uses_the_screen(desk: Desk) -> None:
    desk.models.computer = True
    chat = await desk.tries(Call("computer", {"action": "type", "text": "linger"}), settings=AUTO)
    await eventually(lambda: written(desk.tree / "asked"))
    await desk.replica.machine.change(chat, Interrupt())
    assert (await desk.replica.comes_to_rest(chat)).state is State.W
    workspaces = desk.replica.tool_services.workspaces
    (process,) = await (await workspaces.client(desk.row)).processes.list()
    assert (process.state, process.quiet, process.exit_code) == (ProcessState.EXITED, True, None)


async def test_a_history_with_a_screen_is_understood_by_the_other_vendor_and_without_one(desk: Desk) -> None:
    """Calls of another model are told as ordinary ones: the simulator refuses whatever its vendor would."""
    desk.models.dialect, desk.models.computer = OPENAI.dialect, True
    chat = await desk.tries(Call("computer", OPENAI.click), settings=AUTO)
    await desk.replica.comes_to_rest(chat)
    for dialect, computer in (("anthropic_messages", True), ("openai_chat", True), ("openai_responses", False)):
        desk.models.dialect, desk.models.computer = dialect, computer
        await desk.replica.someone_adds(chat, "[[say:2 tokens]]")
        rested = await desk.replica.comes_to_rest(chat)
        assert (rested.state, rested.last_error) == (State.W, None)
    assert [part.tool for m in await desk.replica.messages(chat) for part in m.parts if isinstance(part, ToolCall)] == [
        "computer"
    ]


@pytest.mark.parametrize(
    ("dialect", "computer", "experiments", "card"),
    [
        ("anthropic_messages", False, ["computer_use"], {}),
        ("openai_chat", True, ["computer_use"], {}),
        ("anthropic_messages", True, [], {}),
        ("anthropic_messages", True, ["computer_use"], {"plan_mode": True}),
    ],
)
async def test_the_screen_is_not_offered_where_it_cannot_or_may_not_be_used(
    desk: Desk, dialect: str, computer: bool, experiments: list[str], card: dict[str, Any]
) -> None:
    desk.models.dialect, desk.models.computer = dialect, computer
    await desk.replica.pool.execute("DELETE FROM settings")
    await desk.replica.sets(experiments=experiments)
    chat = await desk.tries(Call("computer", ANTHROPIC.click), **card)
    assert (await desk.replica.comes_to_rest(chat)).state is State.W
    (result,) = await desk.results(chat)
    assert "There is no tool named 'computer' here" in result.result
    first: Any = desk.sim.requests[0].json
    assert "computer" not in str([(tool.get("type"), tool.get("name")) for tool in first["tools"]])
