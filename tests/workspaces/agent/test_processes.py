"""Commands: once per key, followed, waited for, and ended with everything they started."""

import asyncio
import shutil
import sys
from datetime import timedelta

import pytest
from tests.workspaces.inside import PATIENCE, Inside
from tests.workspaces.waiting import alive, eventually, written

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.agent.limits import RUNNING_MOST
from perdure.workspaces.wire import ProcessState

# The loop is busy while a command ends, and another child is collected before anything else is looked at.
COLLECTING = """
import asyncio, os, sys, time
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.main import assemble
from perdure.workspaces.agent.memory import Memory
from perdure.workspaces.agent.settings import Settings

async def main(root):
    paths = {name: f"{root}/{name}" for name in ("tree", "home", "state", "socket")}
    settings = Settings.read(Fields(paths))
    program = assemble(settings, Folder.open(settings.state), Memory(None))
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    started = program.processes.start(Fields({"command": "echo said; exit 3", "key": "k"}))
    guard = program.processes.find(started["id"]).guard
    asyncio.get_running_loop().call_soon(os.waitid, os.P_PID, guard, os.WEXITED | os.WNOWAIT)
    await program.processes.wait(started["id"], 60, 1000)
    kept = program.keys.find("k").result
    print(kept["exit_code"], kept["signal"], kept["head"], end="")

asyncio.run(main(sys.argv[1]))
"""
STUBBORN = "trap '' TERM; (setsid sh -c 'trap : TERM; while :; do sleep 0.02; date +%N >> alive; done' &); sleep 60"


async def test_a_command_gives_its_output_and_its_exit_code(inside: Inside) -> None:
    process = await inside.runs("echo out; echo error >&2; exit 3")
    assert (process.head, process.exit_code, process.state) == ("out\nerror\n", 3, ProcessState.EXITED)


async def test_a_command_ended_by_a_signal_names_it(inside: Inside) -> None:
    process = await inside.runs("kill -SEGV $$")
    assert (process.exit_code, process.signal) == (None, "SEGV")


async def test_a_command_that_is_collected_before_it_is_heard_of_is_recorded_as_it_ended(inside: Inside) -> None:
    await inside.is_killed()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", COLLECTING, str(inside.root), stdout=asyncio.subprocess.PIPE
    )
    assert (await process.communicate())[0] == b"3 None said\n"


async def test_the_same_key_is_the_same_run(inside: Inside) -> None:
    runs = [await inside.runs("echo once >> marker; echo $$", key="chat/1/0/0") for _ in range(3)]
    assert len({run.id for run in runs}) == 1
    assert len({run.head for run in runs}) == 1
    assert (inside.tree / "marker").read_text() == "once\n"


async def test_the_same_key_for_another_command_is_refused_and_starts_nothing(inside: Inside) -> None:
    await inside.runs("echo one", key="k")
    with pytest.raises(WorkspaceRefused) as refusal:
        await inside.runs("touch two", key="k")
    assert refusal.value.code == "key_reused"
    assert not (inside.tree / "two").exists()


async def test_a_result_survives_the_agent_program(inside: Inside) -> None:
    before = await inside.runs("echo kept; exit 4", key="k")
    await inside.is_killed()
    await inside.start()
    after = await inside.client.processes.start("echo kept; exit 4", key="k")
    assert (after.id, after.head, after.exit_code) == (before.id, "kept\n", 4)


async def test_a_key_without_a_result_is_lost_after_a_restart_and_never_runs_again(inside: Inside) -> None:
    started = await inside.client.processes.start("echo once >> marker; sleep 60", key="k")
    await eventually(lambda: written(inside.tree / "marker"))
    before = await inside.client.health()
    await inside.is_killed()
    after = await inside.start()
    again = await inside.client.processes.start("echo once >> marker; sleep 60", key="k")
    assert (again.state, again.id, again.incarnation) == (ProcessState.LOST, started.id, before.incarnation)
    assert after.incarnation != before.incarnation
    assert (inside.tree / "marker").read_text() == "once\n"


async def test_commands_end_when_their_agent_program_is_killed(inside: Inside) -> None:
    await inside.client.processes.start("sh -c 'echo $$ > pid; exec sleep 60'")
    await eventually(lambda: written(inside.tree / "pid"))
    pid = int((inside.tree / "pid").read_text())
    await inside.is_killed()
    await eventually(lambda: not alive(pid))


async def test_a_forgotten_key_is_free_again(inside: Inside) -> None:
    await inside.runs("echo once >> marker", key="k")
    await inside.client.forget(["k"])
    with pytest.raises(WorkspaceRefused, match="nothing was started with this key"):
        await inside.client.processes.find("k")
    await inside.runs("echo once >> marker", key="k")
    assert (inside.tree / "marker").read_text() == "once\nonce\n"


async def test_waiting_ends_with_the_patience_and_the_command_runs_on(inside: Inside) -> None:
    process = await inside.client.processes.start("sleep 60")
    found = await inside.client.processes.wait(process.id, timedelta(milliseconds=50))
    assert found.state is ProcessState.RUNNING


async def test_stopping_reaches_what_ignores_the_signal_and_forks_into_its_own_session(inside: Inside) -> None:
    process = await inside.client.processes.start(STUBBORN)
    await eventually((inside.tree / "alive").exists)
    stopped = await inside.client.processes.stop(process.id, timedelta(milliseconds=100))
    written = (inside.tree / "alive").read_bytes()
    assert (stopped.state, stopped.quiet) == (ProcessState.EXITED, True)
    assert stopped.time_to_quiet_ms is not None
    assert 100 <= stopped.time_to_quiet_ms < PATIENCE.total_seconds() * 1000
    await inside.runs("sleep 0.2")
    assert (inside.tree / "alive").read_bytes() == written


async def test_stopping_reaches_a_line_that_moves_by_forking(inside: Inside) -> None:
    runner = "import os,time\nwhile True:\n  if os.fork(): os._exit(0)\n  os.setsid(); open('alive','a').write('x')\n"
    (inside.tree / "runner.py").write_text(runner)
    process = await inside.client.processes.start("python3 runner.py & sleep 60")
    await eventually((inside.tree / "alive").exists)
    stopped = await inside.client.processes.stop(process.id, timedelta(0))
    written = (inside.tree / "alive").stat().st_size
    assert stopped.quiet
    await inside.runs("sleep 0.2")
    assert (inside.tree / "alive").stat().st_size == written


async def test_a_command_that_kills_its_guard_leaves_nothing_behind(inside: Inside) -> None:
    command = "(setsid sh -c 'echo $$ > pid; exec sleep 60' &); while [ ! -s pid ]; do :; done; kill -9 $PPID; sleep 60"
    process = await inside.runs(command)
    assert process.signal == "KILL"
    pid = int((inside.tree / "pid").read_text())
    await eventually(lambda: not alive(pid))


async def test_what_a_command_leaves_running_can_be_stopped_by_its_id(inside: Inside) -> None:
    process = await inside.runs("sleep 60 & echo $! > pid")
    pid = int((inside.tree / "pid").read_text())
    assert (process.exit_code, process.quiet, alive(pid)) == (0, False, True)
    stopped = await inside.client.processes.stop(process.id)
    assert (stopped.quiet, alive(pid)) == (True, False)


async def test_a_flood_is_counted_and_only_its_ends_are_kept(inside: Inside) -> None:
    process = await inside.runs("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert process.total_bytes == 100_000_000 + len("first\n\nlast\n")
    assert process.head.startswith("first\nxxx")
    assert process.tail.endswith("xxx\nlast\n")
    assert len(process.head) + len(process.tail) == 32 * 1024
    assert process.omitted_bytes == process.total_bytes - 32 * 1024


async def test_a_flood_does_not_grow_the_agent_program(inside: Inside) -> None:
    def resident() -> int:
        with open(f"/proc/{inside.pid}/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * 4096

    await inside.runs("true")
    before = resident()
    await inside.runs("head -c 300000000 /dev/zero")
    assert resident() - before < 4 * 1024 * 1024


async def test_output_is_followed_from_any_offset_to_the_end(inside: Inside) -> None:
    process = await inside.client.processes.start("for n in 1 2 3; do echo line $n; sleep 0.05; done")
    heard = b"".join([frame.content async for frame in inside.client.processes.follow(process.id, 7)])
    assert heard == b"line 2\nline 3\n"


async def test_nobody_is_asked_anything(inside: Inside) -> None:
    process = await inside.runs("cat; echo $PAGER $GIT_TERMINAL_PROMPT $EDITOR $TERM")
    assert process.head == "cat 0 true dumb\n"


async def test_a_command_sees_no_descriptor_of_the_agent_program(inside: Inside) -> None:
    process = await inside.runs("exec ls /proc/self/fd")
    assert process.head.split() == ["0", "1", "2", "3"]


@pytest.mark.parametrize("workdir", ["..", "/", "../outside"])
async def test_a_command_does_not_start_outside(inside: Inside, workdir: str) -> None:
    with pytest.raises(WorkspaceRefused, match="outside the workspace"):
        await inside.client.processes.start("pwd", workdir=workdir)


@pytest.mark.parametrize("command", ["", "  ", "a\0b", "x" * 200_000])
async def test_a_command_that_makes_no_sense_is_refused(inside: Inside, command: str) -> None:
    with pytest.raises(WorkspaceRefused, match="command must be"):
        await inside.client.processes.start(command)


async def test_processes_are_listed_with_the_running_ones(inside: Inside) -> None:
    await inside.runs("true")
    running = await inside.client.processes.start("sleep 60")
    listed = await inside.client.processes.list()
    assert [process.state for process in listed] == [ProcessState.EXITED, ProcessState.RUNNING]
    assert listed[1].id == running.id


async def test_an_unknown_signal_names_those_that_are_known(inside: Inside) -> None:
    process = await inside.client.processes.start("sleep 60")
    with pytest.raises(WorkspaceRefused, match="HUP, INT, QUIT, KILL, USR1, USR2, TERM"):
        await inside.client.processes.signal(process.id, "BOGUS")


async def test_a_signal_reaches_the_command_without_ending_it(inside: Inside) -> None:
    process = await inside.client.processes.start(
        "trap 'echo heard; exit 0' USR1; touch ready; while :; do sleep 0.01; done"
    )
    await eventually((inside.tree / "ready").exists)
    await inside.client.processes.signal(process.id, "USR1")
    assert (await inside.client.processes.wait(process.id, PATIENCE)).head.endswith("heard\n")


async def test_a_stop_right_after_the_start_needs_no_grace(inside: Inside) -> None:
    for _ in range(20):
        process = await inside.client.processes.start("exec sleep 60")
        stopped = await inside.client.processes.stop(process.id, timedelta(seconds=10))
        assert stopped.signal == "TERM"
        assert stopped.time_to_quiet_ms is not None
        assert stopped.time_to_quiet_ms < 9000


async def test_an_agent_program_whose_records_were_deleted_ends_with_its_commands(inside: Inside) -> None:
    await inside.is_killed()
    inside.settings["deleted_check_ms"] = 20
    await inside.start()
    await inside.client.processes.start("echo $$ > pid; exec sleep 60")
    await eventually(lambda: written(inside.tree / "pid"))
    shutil.rmtree(inside.state)
    assert await inside.ends() == 0
    assert not alive(int((inside.tree / "pid").read_text()))


async def test_a_command_that_removed_its_own_directory_is_handed_back_by_its_key(inside: Inside) -> None:
    (inside.tree / "work").mkdir()
    command = "echo once; rmdir ../work"
    first = await inside.client.processes.start(command, key="k", workdir="work")
    await inside.client.processes.wait(first.id, PATIENCE)
    again = await inside.client.processes.start(command, key="k", workdir="work")
    assert (again.id, again.head) == (first.id, "once\n")
    with pytest.raises(WorkspaceRefused) as refusal:
        await inside.client.processes.start(command, key="another", workdir="work")
    assert refusal.value.code == "not_found"


async def test_a_key_finds_its_run_where_no_more_commands_may_run(inside: Inside) -> None:
    first = await inside.client.processes.start("sleep 60", key="k")
    for _ in range(RUNNING_MOST - 1):
        await inside.client.processes.start("sleep 60")
    with pytest.raises(WorkspaceRefused, match="too many commands are running"):
        await inside.client.processes.start("sleep 60", key="another")
    assert (await inside.client.processes.start("sleep 60", key="k")).id == first.id


async def test_a_signal_is_heard_once_per_key(inside: Inside) -> None:
    counts = "trap 'echo heard >> heard' HUP; touch ready; until [ -e end ]; do sleep 0.01; done"
    process = await inside.client.processes.start(counts)
    await eventually((inside.tree / "ready").exists)
    await inside.client.processes.signal(process.id, "HUP", key="first")
    await eventually(lambda: written(inside.tree / "heard"))
    await inside.client.processes.signal(process.id, "HUP", key="second")
    await eventually(lambda: (inside.tree / "heard").read_text().count("heard") == 2)
    await inside.client.processes.signal(process.id, "HUP", key="first")
    (inside.tree / "end").touch()
    await inside.client.processes.wait(process.id, PATIENCE)
    assert (inside.tree / "heard").read_text() == "heard\nheard\n"
