"""Ways out of the sandbox that a command may try, and that must not work."""

import asyncio
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces import escapes
from tests.workspaces.local.conftest import PATIENCE, Sandbox
from tests.workspaces.waiting import eventually

from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Network


async def test_the_servers_files_are_not_there(sandbox: Sandbox) -> None:
    secret = sandbox.root / "secret"
    secret.write_text("the server's secret")
    secret.chmod(0o644)
    assert "secret" not in await sandbox.says(f"cat {secret} /proc/1/root{secret} 2>/dev/null")
    assert await sandbox.says("ls -A /root /var /srv /opt /mnt /work /boot 2>/dev/null; ls /home") == "agent\n"


async def test_the_hosts_accounts_are_not_shown(sandbox: Sandbox) -> None:
    assert (await sandbox.says("cut -d: -f1 /etc/passwd")).split() == ["root", "agent"]
    assert (await sandbox.runs("cat /etc/shadow")).exit_code == 1


async def test_the_servers_environment_is_not_inherited(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://canary")
    await sandbox.driver.stop(sandbox.plan)
    async with await sandbox.driver.start(sandbox.plan) as client:
        process = await client.processes.start("env; cat /proc/*/environ | tr '\\0' '\\n'")
        assert "canary" not in (await client.processes.wait(process.id, PATIENCE)).head


async def test_a_socket_of_the_host_cannot_be_reached(sandbox: Sandbox) -> None:
    path = sandbox.root / "database.sock"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as abstract:
        listening.bind(str(path))
        path.chmod(0o777)
        listening.listen()
        abstract.bind(f"\0{path}")
        abstract.listen()
        attempt = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1].replace('@','\\0'))"
        await sandbox.client.files.write("connect.py", attempt)
        for target in (str(path), f"@{path}"):
            assert (await sandbox.runs(f"python3 connect.py '{target}'")).exit_code == 1


async def test_other_workspaces_cannot_be_seen(sandbox: Sandbox) -> None:
    other = replace(sandbox.plan, id=WorkspaceId(uuid4()))
    await sandbox.driver.create(other)
    async with await sandbox.driver.start(other) as client:
        await client.files.write("secret", "theirs")
        running = await client.processes.start("exec sleep 61")
        assert str(other.id) not in await sandbox.says("cat /proc/self/mountinfo; ls /")
        assert "sleep 61" not in await sandbox.says("cat /proc/*/cmdline | tr '\\0' ' '")
        assert (await client.processes.list())[0].id == running.id
    await sandbox.driver.remove(other)


async def test_processes_of_the_host_cannot_be_seen_or_signalled(sandbox: Sandbox) -> None:
    outside = await asyncio.create_subprocess_exec("sleep", "62")
    process = await sandbox.runs(f"kill -9 {outside.pid}; kill -9 {os.getpid()}; ls -d /proc/[0-9]* | wc -l")
    assert "No such process" in process.head
    assert int(process.head.split()[-1]) < 10
    assert outside.returncode is None
    outside.send_signal(signal.SIGTERM)
    assert await outside.wait() == -signal.SIGTERM


async def test_killing_everything_inside_leaves_the_agent_program_running(sandbox: Sandbox) -> None:
    await escapes.no_kill_reaches_the_agent_program(sandbox.client)


async def test_the_agent_programs_records_and_memory_are_out_of_reach(sandbox: Sandbox) -> None:
    await sandbox.runs("true")
    said = await sandbox.says(escapes.SPIED)
    assert said.count("Permission denied") >= 6
    assert (sandbox.root / str(sandbox.plan.id) / "state/agent/keys").is_dir()
    assert await sandbox.says("find / -name keys -path '*state*' 2>/dev/null") == ""


async def test_a_descriptor_of_the_agent_program_cannot_be_taken(sandbox: Sandbox) -> None:
    await escapes.no_descriptor_can_be_taken(sandbox.client)


@pytest.mark.parametrize("path", [*escapes.SYSTEM, "/run/perdure/agent/__main__.py"])
async def test_the_system_cannot_be_written(sandbox: Sandbox, path: str) -> None:
    assert (await sandbox.runs(f"echo x > {path}")).exit_code == 2


async def test_no_right_can_be_gained(sandbox: Sandbox) -> None:
    assert await escapes.rights(sandbox.client) == escapes.NO_RIGHTS


@pytest.mark.parametrize("command", escapes.COMMANDS)
async def test_a_call_that_leads_out_is_refused(sandbox: Sandbox, command: str) -> None:
    assert (await sandbox.runs(command)).exit_code not in (0, None)


async def test_the_network_is_off(sandbox: Sandbox) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    attempt = f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"
    assert (await sandbox.runs(f'python3 -c "{attempt}"')).exit_code == 1
    assert (await sandbox.says("ls /sys/class/net 2>/dev/null; cut -d: -f1 /proc/net/dev | tail -n +3")).split() == [
        "lo"
    ]
    assert (await sandbox.runs("getent hosts example.com")).exit_code != 0
    server.close()


async def test_the_network_is_there_where_the_plan_says_so(sandbox: Sandbox) -> None:
    answered: list[bool] = []

    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answered.append(True)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    online = replace(sandbox.plan, id=WorkspaceId(uuid4()), network=Network.HOST)
    await sandbox.driver.create(online)
    async with await sandbox.driver.start(online) as client:
        process = await client.processes.start(
            f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 3)\""
        )
        assert (await client.processes.wait(process.id, PATIENCE)).exit_code == 0
    await sandbox.driver.remove(online)
    server.close()
    await eventually(lambda: answered == [True])


async def test_commands_of_one_workspace_reach_each_other(sandbox: Sandbox) -> None:
    await sandbox.runs("python3 -m http.server --bind 127.0.0.1 8123 >/dev/null 2>&1 & ")
    fetch = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8123/').status)"
    waiting = f'until python3 -c "{fetch}" 2>/dev/null; do sleep 0.1; done'
    assert await sandbox.says(waiting) == "200\n"


async def test_a_link_made_inside_leads_the_file_tools_nowhere(sandbox: Sandbox) -> None:
    secret = sandbox.root / "secret"
    secret.write_text("the server's secret")
    await escapes.no_link_leads_the_file_tools_out(sandbox.client, str(secret))


async def test_swapping_a_directory_for_a_link_while_it_is_read_leads_nowhere(sandbox: Sandbox) -> None:
    await escapes.no_swapped_directory_leads_the_file_tools_out(sandbox.client, 300)


async def test_the_view_holds_against_commands(sandbox: Sandbox) -> None:
    await sandbox.client.files.write("plan.md", "keep\n")
    async with await sandbox.driver.view(sandbox.plan) as view:
        await escapes.the_view_holds(sandbox.client, view)
    assert not (Path(sandbox.root) / str(sandbox.plan.id) / "home/z").exists()
