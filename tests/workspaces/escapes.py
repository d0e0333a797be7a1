"""Ways out of a workspace that commands may try, whatever it is made of."""

import pytest
from tests.workspaces.inside import PATIENCE

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient

COMMANDS = (
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
    "cat /etc/shadow",
    "echo 1 > /proc/sys/kernel/panic",
    "echo b > /proc/sysrq-trigger",
)
SYSTEM = ("/usr/bin/x", "/etc/x", "/bin/x", "/x", "/run/perdure/x", "/dev/x/y")
"""Places of the system that nobody inside may write."""
NO_RIGHTS = ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2"]
SPIED = (
    "ls /proc/1/fd /proc/1/root /proc/1/cwd; cat /proc/1/environ /proc/1/mem /proc/1/maps; "
    "python3 -c \"import os; os.listdir('/proc/1/fd')\"; gdb -p 1 2>&1 | head -1; true"
)
_TAKE = (
    "import ctypes, os\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n"
    "pidfd = libc.syscall(434, 1, 0)\n"
    "print(pidfd >= 0, [libc.syscall(438, pidfd, n, 0) for n in range(3, 12)])\n"
)
_SWAP = "mkdir -p d x; echo inside > d/passwd; while :; do mv d real; ln -s /etc d; rm d; mv real d; done"
_WRITING = (
    "echo x > plan.md; rm plan.md; mv plan.md y; touch z ~/z; mount -o remount,rw /workspace; "
    "chmod 777 .; ln plan.md l; python3 -c \"open('plan.md','r+b').truncate(0)\"; exit 0"
)


async def runs(client: WorkspaceClient, command: str) -> wire.Process:
    process = await client.processes.start(command)
    return await client.processes.wait(process.id, PATIENCE)


async def says(client: WorkspaceClient, command: str) -> str:
    return (await runs(client, command)).head


async def rights(client: WorkspaceClient) -> list[str]:
    return (await says(client, "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status")).split()


async def no_kill_reaches_the_agent_program(client: WorkspaceClient) -> None:
    before = await client.health()
    await runs(client, "kill -9 1; kill -TERM 1; pkill -9 -f perdure.agent; kill -9 -1")
    assert (await client.health()).incarnation == before.incarnation
    assert await says(client, "echo still here") == "still here\n"


async def no_descriptor_can_be_taken(client: WorkspaceClient) -> None:
    await client.files.write("take.py", _TAKE)
    assert await says(client, "python3 take.py") == f"True {[-1] * 9}\n"


async def no_link_leads_the_file_tools_out(client: WorkspaceClient, secret: str) -> None:
    await runs(client, f"ln -s {secret} a; ln -s / b; ln -s ../../../.. c; ln -s /proc/1/root d; ln -s /etc/passwd e")
    for path in ("a", f"b{secret}", f"c{secret}", f"d{secret}", "e", "/proc/1/environ"):
        with pytest.raises(WorkspaceRefused) as refusal:
            await client.files.read(path, 1, 10)
        assert refusal.value.code in ("outside", "not_found")


async def no_swapped_directory_leads_the_file_tools_out(client: WorkspaceClient, times: int) -> None:
    swapping = await client.processes.start(_SWAP)
    seen: set[bytes] = set()
    refused: set[str] = set()
    for _ in range(times):
        try:
            seen.add(await client.files.content("d/passwd", 10_000))
        except WorkspaceRefused as refusal:
            refused.add(refusal.code)
    await client.processes.stop(swapping.id)
    assert seen <= {b"inside\n"}
    assert refused <= {"outside", "not_found", "not_a_directory"}


async def the_view_holds(client: WorkspaceClient, view: WorkspaceClient) -> None:
    """Of a workspace with a file `plan.md` that says `keep`."""
    assert (await says(view, _WRITING)).count("Read-only file system") >= 7
    assert await says(view, "cat plan.md; echo scratch > /tmp/ok && cat /tmp/ok") == "keep\nscratch\n"
    assert [entry.path for entry in (await client.files.list()).entries] == ["plan.md"]
    assert await says(client, "ls -A ~") == ""
