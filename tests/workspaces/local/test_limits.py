"""Commands that want everything: contained, reported, and the workspace goes on."""

from tests.workspaces.local.conftest import LIMITS, Sandbox
from tests.workspaces.waiting import eventually

from perdure.workspaces.driver import MEBIBYTE

BOMB = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"
HOG = "blocks = []\nwhile True: blocks.append(bytearray(8 * 1024 * 1024))\n"


async def test_a_fork_bomb_is_held_and_can_be_stopped(sandbox: Sandbox) -> None:
    await sandbox.client.files.write("bomb.py", BOMB)
    process = await sandbox.client.processes.start("python3 bomb.py")
    await eventually(lambda: sandbox.processes_on_the_host() > LIMITS.processes // 2)
    refused = await sandbox.runs_or_is_refused("true")
    assert sandbox.processes_on_the_host() <= LIMITS.processes + 32
    stopped = await sandbox.client.processes.stop(process.id)
    assert stopped.quiet
    assert stopped.time_to_quiet_ms is not None
    assert refused in ("", "process_limit")
    assert await sandbox.says("echo recovered") == "recovered\n"


async def test_a_memory_hog_is_ended_and_reported(sandbox: Sandbox) -> None:
    before = await sandbox.client.health()
    await sandbox.client.files.write("hog.py", HOG)
    process = await sandbox.runs("python3 hog.py")
    assert process.out_of_memory or "MemoryError" in process.head
    assert process.exit_code != 0
    assert (await sandbox.client.health()).incarnation == before.incarnation
    assert await sandbox.says("echo recovered") == "recovered\n"


async def test_many_small_hogs_do_not_take_the_agent_program_with_them(sandbox: Sandbox) -> None:
    before = await sandbox.client.health()
    await sandbox.client.files.write("hog.py", "import time\nblock = bytearray(12 * 1024 * 1024)\ntime.sleep(5)\n")
    await sandbox.runs("for n in $(seq 40); do python3 hog.py & done; wait")
    assert (await sandbox.client.health()).incarnation == before.incarnation


async def test_a_file_too_large_is_cut_off(sandbox: Sandbox) -> None:
    process = await sandbox.runs("head -c 200M /dev/zero > big")
    assert process.signal == "XFSZ" or process.exit_code != 0
    assert await sandbox.says("stat -c %s big") == f"{LIMITS.file_bytes}\n"


async def test_a_disk_hog_is_ended_and_reported(sandbox: Sandbox) -> None:
    process = await sandbox.runs("n=0; while :; do n=$((n+1)); head -c 8M /dev/zero > file$n; sleep 0.02; done")
    assert (process.over_disk, process.signal) == (True, "KILL")
    used = sum(entry.bytes for entry in (await sandbox.client.files.list()).entries)
    assert LIMITS.disk_bytes - 16 * MEBIBYTE <= used < 4 * LIMITS.disk_bytes


async def test_a_flood_is_bounded(sandbox: Sandbox) -> None:
    process = await sandbox.runs("yes | head -c 200000000")
    assert process.total_bytes == 200_000_000
    assert len(process.head) + len(process.tail) == 32 * 1024


async def test_temporary_files_are_gone_after_a_stop(sandbox: Sandbox) -> None:
    await sandbox.runs("echo x > /tmp/x; echo y > ~/y")
    await sandbox.driver.stop(sandbox.plan)
    async with await sandbox.driver.start(sandbox.plan) as client:
        listing = await client.files.list("/tmp")
        kept = await client.files.content("~/y", 10)
    assert (listing.entries, kept) == ([], b"y\n")
