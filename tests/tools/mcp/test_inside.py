"""Servers that are commands: they run inside the chat's own workspace, in its sandbox, and only look where it does."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.tools.mcp.peers import Bridge

from perdure.core.chat import State
from perdure.core.ids import ChatId, WorkspaceId
from perdure.sim.script import Call, Script, Step, Text
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.store.tables.templates import packed
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.testing.replica import InProcessReplica
from perdure.testing.workspace_folder import workspace_folder
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue

# As small as a server can be: the sandbox has the system's Python and no packages.
SERVER = b"""
import json, os, sys
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
def answer(method, params):
    if method == "initialize":
        versions = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
        return {**versions, "serverInfo": {"name": "notes", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "description": name, "inputSchema": SCHEMA} for name in ("read", "append")]}
    path = params["arguments"]["path"]
    try:
        if params["name"] == "append":
            open(path, "a").write(os.environ["NOTE"] + "\\n")
        said, failed = open(path).read(), False
    except OSError as error:
        said, failed = str(error), True
    return {"content": [{"type": "text", "text": said}], "isError": failed}
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "server/discover":
        error = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
    elif "id" in asked:
        told = answer(asked["method"], asked.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}), flush=True)
"""
RECIPE = 'description = "Notes"\n'


class Inside:
    """A replica, a workspace with a server in it, and a chat that uses it."""

    def __init__(
        self, replica: InProcessReplica, sim: Simulator, bridge: Bridge, row: WorkspaceRow, tree: Path
    ) -> None:
        self.replica, self.sim, self.bridge, self.row, self.tree = replica, sim, bridge, row, tree

    async def calls(self, *calls: tuple[str, str], **card: Any) -> ChatId:
        steps = [Step((Call(f"notes__{tool}", {"path": path}),)) for tool, path in calls]
        self.sim.script(Script("calls", (*steps, Step((Text("done"),)))))
        chat = await self.replica.someone_asks("[[script:calls]]", workspace_id=self.row.id, **card)
        assert (await self.replica.comes_to_rest(chat)).state is State.W
        return chat

    async def heard(self, chat: ChatId) -> list[str]:
        """The results, without the calls."""
        words = [word for word in await self.replica.said(chat) if word.startswith("notes__")]
        return [word for word in words if ":" in word.partition("(")[0]]


@pytest.fixture
async def inside(replica: InProcessReplica, sim: Simulator, pool: Pool) -> AsyncIterator[Inside]:
    async with workspace_folder(pool) as folder:
        insert = "INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, 'notes', $2, '', $3)"
        files = {"server.py": SERVER, "kept": b"kept\n"}
        await pool.execute(insert, replica.organisation, RECIPE, packed(files))
        drivers, templates = Drivers(folder, LocalDriver(folder)), TemplateCatalogue(pool)
        workspaces = Workspaces(pool, drivers, templates, replica.bus, replica.clock)
        wish = Wish(
            owner_id=replica.user, organisation_id=replica.organisation, template="notes", parameters={}, most=1
        )
        row = await workspaces.create(WorkspaceId(uuid4()), wish)
        bridge = Bridge(replica, pool, workspaces)
        command = "NOTE=noted exec python3 server.py"
        await bridge.add("notes", transport="stdio", command=command, plan_mode=True)
        yield Inside(replica, sim, bridge, row, folder / str(row.id) / "tree")
        await bridge.services.connections.close()
        await workspaces.close()


async def test_a_command_serves_the_turns_of_a_chat_from_inside_its_sandbox(inside: Inside) -> None:
    outside = inside.tree.parents[1] / "secret"
    outside.write_text("the server's")
    chat = await inside.calls(("read", "kept"), ("append", "kept"), ("read", str(outside)))
    read, appended, refused = await inside.heard(chat)
    assert (read, appended) == ("notes__read: kept\n", "notes__append: kept\nnoted\n")
    assert refused.startswith("notes__read failed: [Errno 2] No such file")
    assert (inside.tree / "kept").read_text() == "kept\nnoted\n"
    assert inside.bridge.numbers("perdure_mcp_connections_total", server="notes", outcome="opened") == 1


async def test_while_a_chat_plans_the_command_runs_in_a_view_that_cannot_be_written_to(inside: Inside) -> None:
    chat = await inside.calls(("read", "kept"), ("append", "kept"), plan_mode=True)
    read, refused = await inside.heard(chat)
    assert read == "notes__read: kept\n"
    assert "Read-only file system" in refused
    assert (inside.tree / "kept").read_text() == "kept\n"


async def test_a_chat_without_a_workspace_is_told_what_the_server_needs(inside: Inside) -> None:
    inside.sim.script(Script("calls", (Step((Call("notes__read", {"path": "kept"}),)), Step((Text("done"),)))))
    chat = await inside.replica.someone_asks("[[script:calls]]")
    await inside.replica.comes_to_rest(chat)
    (told,) = await inside.heard(chat)
    assert "it runs inside the workspace, and this chat has none yet: call create_workspace first" in told
