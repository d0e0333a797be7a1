"""Ways out of the sandbox that a command may try, and that must not work."""

import asyncio
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.local.conftest import PATIENCE, Sandbox
from tests.workspaces.waiting import eventually

from perdure.core.errors import WorkspaceRefused
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
    before = await sandbox.client.health()
    await sandbox.runs("kill -9 1; kill -TERM 1; pkill -9 -f perdure.agent; kill -9 -1")
    assert (await sandbox.client.health()).incarnation == before.incarnation
    assert await sandbox.says("echo still here") == "still here\n"


async def test_the_agent_programs_records_and_memory_are_out_of_reach(sandbox: Sandbox) -> None:
    await sandbox.runs("true")
    said = await sandbox.says(
        "ls /proc/1/fd /proc/1/root /proc/1/cwd; cat /proc/1/environ /proc/1/mem /proc/1/maps; "
        "python3 -c \"import os; os.listdir('/proc/1/fd')\"; gdb -p 1 2>&1 | head -1; true"
    )
    assert said.count("Permission denied") >= 6
    assert (sandbox.root / str(sandbox.plan.id) / "state/agent/keys").is_dir()
    assert await sandbox.says("find / -name keys -path '*state*' 2>/dev/null") == ""


async def test_a_descriptor_of_the_agent_program_cannot_be_taken(sandbox: Sandbox) -> None:
    take = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "pidfd = libc.syscall(434, 1, 0)\n"
        "print(pidfd >= 0, [libc.syscall(438, pidfd, n, 0) for n in range(3, 12)])\n"
    )
    await sandbox.client.files.write("take.py", take)
    assert await sandbox.says("python3 take.py") == f"True {[-1] * 9}\n"


@pytest.mark.parametrize(
    "path", ["/usr/bin/x", "/etc/x", "/bin/x", "/x", "/run/perdure/x", "/run/perdure/agent/__main__.py", "/dev/x/y"]
)
async def test_the_system_cannot_be_written(sandbox: Sandbox, path: str) -> None:
    assert (await sandbox.runs(f"echo x > {path}")).exit_code == 2


async def test_no_right_can_be_gained(sandbox: Sandbox) -> None:
    said = await sandbox.says("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status")
    assert said.split() == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2"]


@pytest.mark.parametrize(
    "command",
    [
        "unshare -U true",
        "unshare -m true",
        "mount -t tmpfs none /tmp",
        "mount --bind /tmp /usr",
        "umount /proc",
        "mknod /tmp/disk b 8 0",
        "chroot / true",
        "nsenter -t 1 -m true",
        "su -c true",
        "dmesg",
        "bwrap --ro-bind / / true",
        "cat /dev/mem",
        "echo 1 > /proc/sys/kernel/panic",
        "echo b > /proc/sysrq-trigger",
    ],
)
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
    await sandbox.runs(f"ln -s {secret} a; ln -s / b; ln -s ../../../.. c; ln -s /proc/1/root d; ln -s /etc/passwd e")
    for path in ("a", f"b{secret}", f"c{secret}", f"d{secret}", "e", "/proc/1/environ"):
        with pytest.raises(WorkspaceRefused) as refusal:
            await sandbox.client.files.read(path, 1, 10)
        assert refusal.value.code in ("outside", "not_found")


async def test_swapping_a_directory_for_a_link_while_it_is_read_leads_nowhere(sandbox: Sandbox) -> None:
    swap = "mkdir -p d x; echo inside > d/passwd; while :; do mv d real; ln -s /etc d; rm d; mv real d; done"
    swapping = await sandbox.client.processes.start(swap)
    seen: set[bytes] = set()
    refused: set[str] = set()
    for _ in range(300):
        try:
            seen.add(await sandbox.client.files.content("d/passwd", 10_000))
        except WorkspaceRefused as refusal:
            refused.add(refusal.code)
    await sandbox.client.processes.stop(swapping.id)
    assert seen <= {b"inside\n"}
    assert refused <= {"outside", "not_found", "not_a_directory"}


async def test_the_view_holds_against_commands(sandbox: Sandbox) -> None:
    await sandbox.client.files.write("plan.md", "keep\n")
    async with await sandbox.driver.view(sandbox.plan) as view:
        attempts = (
            "echo x > plan.md; rm plan.md; mv plan.md y; touch z ~/z; mount -o remount,rw /workspace; "
            "chmod 777 .; ln plan.md l; python3 -c \"open('plan.md','r+b').truncate(0)\"; exit 0"
        )
        process = await view.processes.start(attempts)
        said = await view.processes.wait(process.id, PATIENCE)
        assert said.head.count("Read-only file system") >= 7
        edited = await view.processes.start("cat plan.md; echo scratch > /tmp/ok && cat /tmp/ok")
        assert (await view.processes.wait(edited.id, PATIENCE)).head == "keep\nscratch\n"
    assert [entry.path for entry in (await sandbox.client.files.list()).entries] == ["plan.md"]
    assert not (Path(sandbox.root) / str(sandbox.plan.id) / "home/z").exists()
