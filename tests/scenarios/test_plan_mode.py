"""Stories about chats that only look: whatever they try, the workspace stays as it was."""

import hashlib
import stat
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from perdure.core.chat import State
from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.message import ToolResult
from perdure.sim.script import Call, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.plans import plan_path
from perdure.workspaces.local.layout import Layout
from perdure.workspaces.service import Wish, Workspaces

SETUP = (
    "git init -q . && git config user.email a@example.com && git config user.name a "
    "&& printf 'one\\ntwo\\n' > notes.txt && mkdir -p src && echo 'print(1)' > src/main.py "
    "&& git add -A && git commit -qm first && echo kept > ~/.profile && mkfifo pipe && ln -s src linked "
    "&& mkdir -p ~/.perdure && ln -s /workspace/src ~/.perdure/elsewhere"
)

SEND_TO_SOCKETS = (
    'for s in $(find / -type s 2>/dev/null); do python3 -c "import socket; s=socket.socket(socket.AF_UNIX); '
    "s.connect('$s'); s.send(b'POST /v1/files/write HTTP/1.1\\r\\nContent-Length: 35\\r\\n\\r\\n"
    '{\\"path\\": \\"sent.txt\\", \\"content\\": \\"\\"}\')"; done'
)

SHELL_TRICKS = (
    "echo x > new.txt",
    "echo x >> notes.txt",
    "echo x > ~/new.txt",
    "echo x | tee new.txt",
    "cat > new.txt <<< x",
    "sed -i s/one/ONE/ notes.txt",
    "rm -rf src notes.txt .git",
    "rm -rf ~ /workspace",
    "mv notes.txt moved.txt",
    "cp notes.txt copy.txt",
    "ln notes.txt hard.txt",
    "ln -s notes.txt soft.txt",
    "mkdir folder",
    "rmdir linked; unlink linked",
    "chmod 777 notes.txt",
    "chown 0:0 notes.txt",
    "touch -d 2001-01-01 notes.txt",
    "truncate -s 0 notes.txt",
    ": > notes.txt",
    "exec 3<>notes.txt; echo x >&3",
    "dd if=/dev/zero of=notes.txt bs=1 count=1 conv=notrunc",
    "fallocate -l 10 big; install notes.txt installed",
    "git commit -q --allow-empty -m second",
    "git checkout -q -b other; git config user.name b; git stash",
    "tar cf /tmp/a.tar notes.txt && tar xf /tmp/a.tar -C src",
    "python3 -c \"open('new.txt','w').write('x')\"",
    "python3 -c \"import os; os.open('notes.txt', os.O_RDWR | os.O_TRUNC)\"",
    "python3 -c \"import mmap,os; f=os.open('notes.txt',os.O_RDWR); mmap.mmap(f,0)[0:1]=b'X'\"",
    "python3 -c \"import os; os.setxattr('notes.txt','user.x',b'1')\"",
    "perl -e 'open(F,\">new.txt\"); print F 1'",
    "sh -c 'sh -c \"echo x > deep.txt\"'",
    "(echo x > late.txt) & sleep 1",
    "nohup setsid sh -c 'sleep 1; echo x > later.txt' >/dev/null 2>&1 & sleep 2",
    "cd /proc/self/root/workspace && echo x > by_proc.txt",
    "echo x > /proc/1/root/workspace/by_init.txt",
    "echo x > /proc/self/cwd/by_cwd.txt",
    "mount -o remount,rw /workspace && echo x > remounted.txt",
    "mount --bind /tmp /workspace; umount /workspace",
    "unshare -rm sh -c 'mount -o remount,rw /workspace; echo x > unshared.txt'",
    "nsenter -t 1 -m sh -c 'echo x > entered.txt'",
    SEND_TO_SOCKETS,
    "kill -9 -1; kill -STOP 1",
    "echo 'echo x > /workspace/run.txt' > /tmp/run.sh && chmod +x /tmp/run.sh && /tmp/run.sh",
    "ln -s /workspace/notes.txt /tmp/l && echo x > /tmp/l",
)


CLIENT_TOOLS = '[{"name":"page_tool"}]'


def plan_writes(chat: ChatId) -> tuple[Call, ...]:
    """Every tool that writes, asked in every way to write something else than the plan."""
    plan = plan_path(chat)
    edits = [{"old_text": "one", "new_text": "ONE"}]
    return (
        Call("write_file", {"path": "new.txt", "content": "x"}),
        Call("write_file", {"path": "~/.profile", "content": "x"}),
        Call("write_file", {"path": f"{plan}/../../../new.txt", "content": "x"}),
        Call("write_file", {"path": plan.replace("PLAN-", "../elsewhere/PLAN-"), "content": "x"}),
        Call("write_file", {"path": plan_path(ChatId(uuid4())), "content": "x"}),
        Call("edit_files", {"files": [{"path": "notes.txt", "edits": edits}]}),
        Call("edit_files", {"files": [{"path": plan, "edits": edits}, {"path": "notes.txt", "edits": edits}]}),
        Call("attach_file", {"path": "notes.txt"}),
        Call("process_signal", {"id": "p1", "signal": "KILL"}),
        Call("create_workspace", {"template": "blank"}),
        Call("start_workspace", {}),
        Call("stop_workspace", {}),
        Call("spawn_agent", {"type": "general", "prompt": "[[say:1 tokens]]"}),
        Call("page_tool", {}),
    )


class Place:
    """A replica with a workspace, and what its host sees of it."""

    def __init__(
        self, replica: InProcessReplica, sim: Simulator, workspaces: Workspaces, row: WorkspaceRow, root: Path
    ) -> None:
        self.replica = replica
        self.sim = sim
        self.workspaces = workspaces
        self.row = row
        self.layout = Layout(root)

    async def runs(self, command: str) -> None:
        """Do something in the workspace that may change it."""
        client = await self.workspaces.client(self.row)
        process = await client.processes.start(command)
        assert (await client.processes.wait(process.id, timedelta(seconds=30))).exit_code == 0, command

    def picture(self) -> dict[str, str]:
        """Every file by name: what kind, whose, when changed, what it says."""
        roots = (self.layout.tree, self.layout.home)
        return {str(path): _looks(path) for root in roots for path in sorted([root, *root.rglob("*")])}

    async def tries(self, *calls: Call, chat_id: ChatId | None = None, **card: Any) -> list[ToolResult]:
        """What a chat hears that makes these calls, one after the other."""
        self.sim.script(Script("tries", (*(Step((call,)) for call in calls), Step((Says("I see."),)))))
        chat = await self.replica.someone_asks("[[script:tries]]", workspace_id=self.row.id, chat_id=chat_id, **card)
        rested = await self.replica.until(chat, lambda chat: chat.status.value in ("waiting", "error"), patience=240)
        assert rested.state is State.W, rested.last_error
        parts = [part for message in await self.replica.messages(chat) for part in message.parts]
        return [part for part in parts if isinstance(part, ToolResult)]


def _looks(path: Path) -> str:
    status = path.lstat()
    said = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(status.st_mode) else ""
    target = str(path.readlink()) if path.is_symlink() else ""
    return f"{status.st_mode} {status.st_uid} {status.st_nlink} {status.st_mtime_ns} {said}{target}"


@pytest.fixture
async def place(database_url: str, pool: Pool) -> AsyncIterator[Place]:
    async with (
        Simulator(rate=None) as sim,
        open_replica(database_url, pool, sim.url) as replica,
    ):
        workspaces = replica.tool_services.workspaces
        replica.tools.tools = BUILTIN_TOOLS
        wish = Wish(
            owner_id=replica.user, organisation_id=replica.organisation, template="blank", parameters={}, most=1
        )
        row = await workspaces.create(WorkspaceId(uuid4()), wish)
        place = Place(replica, sim, workspaces, row, replica.folder / str(row.id))
        await place.runs(SETUP)
        yield place


def commands(*lines: str) -> list[Call]:
    return [Call("execute", {"command": line, "timeout": 20}) for line in lines]


async def test_no_trick_of_the_shell_changes_anything_while_a_chat_plans(place: Place) -> None:
    before = place.picture()
    heard = await place.tries(*commands("cat notes.txt", *SHELL_TRICKS), plan_mode=True)
    assert len(heard) == 1 + len(SHELL_TRICKS)
    assert heard[0].result.startswith("one\ntwo")
    assert place.picture() == before


async def test_no_trick_of_the_shell_changes_anything_while_an_agent_explores(place: Place) -> None:
    parent = await place.replica.someone_asks("[[say:1 tokens]]", workspace_id=place.row.id)
    await place.replica.comes_to_rest(parent)
    before = place.picture()
    heard = await place.tries(
        *commands("cat notes.txt", *SHELL_TRICKS), parent_id=parent, root_id=parent, agent_type="explore"
    )
    assert heard[0].result.startswith("one\ntwo")
    assert place.picture() == before


async def test_the_same_tricks_work_where_a_chat_may_act(place: Place) -> None:
    """Otherwise the others would show nothing."""
    before = place.picture()
    await place.tries(*commands(*SHELL_TRICKS[:6], "python3 -c \"open('p.txt','w').write('x')\""))
    after = place.picture()
    changed = {Path(name).name for name in after if after[name] != before.get(name)}
    assert {"new.txt", "notes.txt", "p.txt"} <= changed


async def test_no_tool_writes_anything_but_the_plan(place: Place) -> None:
    before = place.picture()
    chat = ChatId(uuid4())
    heard = await place.tries(*plan_writes(chat), chat_id=chat, plan_mode=True, client_tools=CLIENT_TOOLS)
    assert [result.tool for result in heard if not result.is_error] == []
    assert place.picture() == before
    assert await place.replica.pool.fetchval("SELECT count(*) FROM chat_cards WHERE parent_id = $1", chat) == 0


async def test_an_exploring_agent_is_offered_no_tool_that_writes(place: Place) -> None:
    parent = await place.replica.someone_asks("[[say:1 tokens]]", workspace_id=place.row.id)
    await place.replica.comes_to_rest(parent)
    before = place.picture()
    chat = ChatId(uuid4())
    heard = await place.tries(*plan_writes(chat), chat_id=chat, parent_id=parent, root_id=parent, agent_type="explore")
    assert all("There is no tool named" in result.result for result in heard)
    assert place.picture() == before


async def test_the_plan_is_written_and_edited_and_proposed_from_its_file(place: Place) -> None:
    chat = ChatId(uuid4())
    plan = plan_path(chat)
    heard = await place.tries(
        Call("write_file", {"path": plan, "content": "# Plan\n\n1. one\n"}),
        Call("edit_files", {"files": [{"path": plan, "edits": [{"old_text": "one", "new_text": "two"}]}]}),
        Call("propose_plan", {"title": "Two"}),
        chat_id=chat,
        plan_mode=True,
    )
    assert [result.is_error for result in heard] == [False, False, False]
    assert msgspec.json.decode(heard[2].result) == {"title": "Two", "plan": "# Plan\n\n1. two\n"}
    (media,) = heard[2].media
    stored = await place.replica.pool.fetchrow(
        "SELECT f.* FROM files f JOIN file_links l ON l.file_id = f.id WHERE l.chat_id = $1", chat
    )
    assert stored is not None
    assert (str(stored["id"]), stored["name"], stored["content"]) == (media.file_id, "plan.md", b"# Plan\n\n1. two\n")
    # It ended the turn: nothing is said after it.
    assert (await place.replica.said(chat))[-1].startswith("propose_plan: ")


@pytest.mark.parametrize(
    "link",
    [
        "mkdir -p ~/.perdure/plans && ln -s /workspace/notes.txt ~/.perdure/plans/PLAN-{chat}.md",
        "rm -rf ~/.perdure/plans && ln -s /workspace ~/.perdure/plans && cp notes.txt PLAN-{chat}.md",
        "rm -rf ~/.perdure && ln -s /workspace ~/.perdure && mkdir plans && cp notes.txt plans/PLAN-{chat}.md",
    ],
)
async def test_a_plan_is_not_written_through_a_link(place: Place, link: str) -> None:
    chat = ChatId(uuid4())
    await place.runs(link.format(chat=chat))
    before = place.picture()
    plan, edits = plan_path(chat), [{"old_text": "one", "new_text": "ONE"}]
    heard = await place.tries(
        Call("write_file", {"path": plan, "content": "x"}),
        Call("edit_files", {"files": [{"path": plan, "edits": edits}]}),
        chat_id=chat,
        plan_mode=True,
    )
    assert [(result.is_error, "symbolic link" in result.result) for result in heard] == [(True, True)] * 2
    assert place.picture() == before


async def test_carrying_the_plan_out_is_a_turn_with_plan_mode_off(place: Place) -> None:
    chat = ChatId(uuid4())
    await place.tries(Call("propose_plan", {"title": "T", "plan": "write it"}), chat_id=chat, plan_mode=True)
    await place.replica.pool.execute("UPDATE chat_cards SET plan_mode = false WHERE id = $1", chat)
    place.sim.script(Script("act", (Step((Call("write_file", {"path": "done.txt", "content": "x"}),)),)))
    await place.replica.someone_adds(chat, "[[script:act]] Implement the plan.")
    await place.replica.comes_to_rest(chat)
    assert (place.layout.tree / "done.txt").read_text() == "x"
