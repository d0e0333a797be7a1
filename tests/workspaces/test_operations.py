"""What tools do in a workspace, with a real one."""

import asyncio
from datetime import timedelta

import pytest
from tests.workspaces.inside import PATIENCE, Inside
from tests.workspaces.waiting import eventually

from perdure.core.errors import WorkspaceLost, WorkspaceRefused
from perdure.workspaces import answers, operations
from perdure.workspaces.wire import FileEdits, ImagePage, ProcessState, TextEdit


async def test_a_file_is_written_read_edited_found_and_listed(inside: Inside) -> None:
    client = inside.client
    assert (
        await operations.write_file(client, "1", "src/a.py", "def f():\n    return 1\n")
        == "Created src/a.py (22 bytes)."
    )
    assert await operations.read_file(client, "src/a.py") == "     1\tdef f():\n     2\t    return 1"
    diff = await operations.edit_files(client, "2", [FileEdits("src/a.py", [TextEdit("return 1", "return 2")])])
    assert diff.endswith("-    return 1\n+    return 2")
    assert await operations.search_files(client, "return") == "src/a.py:2:     return 2"
    assert await operations.list_files(client) == "src/\nsrc/a.py (22 bytes)"


async def test_an_image_is_read_as_an_image(inside: Inside) -> None:
    (inside.tree / "p.gif").write_bytes(b"GIF89a\0\0")
    assert isinstance(await operations.read_file(inside.client, "p.gif"), ImagePage)


async def test_a_failing_command_is_a_result(inside: Inside) -> None:
    process = await operations.execute(inside.client, "k", "echo no; exit 7")
    assert answers.command(process).startswith("no\n[Exit code 7 after ")


async def test_a_timeout_leaves_the_command_running_under_its_id(inside: Inside) -> None:
    process = await operations.execute(inside.client, "k", "echo begun; sleep 60", timeout=timedelta(seconds=2))
    assert (process.state, process.head) == (ProcessState.RUNNING, "begun\n")
    stopped = await operations.process_signal(inside.client, process.id)
    assert (stopped.state, stopped.quiet) == (ProcessState.EXITED, True)


async def test_a_trailing_ampersand_means_background(inside: Inside) -> None:
    process = await operations.execute(inside.client, "k", "sleep 60 &")
    assert (process.state, process.command) == (ProcessState.RUNNING, "sleep 60")


async def test_a_background_command_that_fails_at_once_says_so(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    # However long "at once" is on this machine.
    monkeypatch.setattr(operations, "BACKGROUND_GLANCE", PATIENCE)
    process = await operations.execute(inside.client, "k", "exit 9", background=True)
    assert process.exit_code == 9


async def test_waiting_that_breaks_looks_once_more(inside: Inside) -> None:
    running = asyncio.ensure_future(operations.execute(inside.client, "k", "touch begun; sleep 60"))
    await eventually((inside.tree / "begun").exists)
    await inside.is_killed()
    await inside.start()
    with pytest.raises(WorkspaceLost, match="may or may not have been done"):
        await running


async def test_an_interrupt_by_key_says_how_long_quiet_took(inside: Inside) -> None:
    running = asyncio.ensure_future(operations.execute(inside.client, "k", "touch begun; sleep 60"))
    await eventually((inside.tree / "begun").exists)
    stopped = await operations.interrupt(inside.client, "k")
    assert stopped.time_to_quiet_ms is not None
    assert (await running).signal == "TERM"


async def test_processes_are_followed_and_listed(inside: Inside) -> None:
    process = await operations.execute(inside.client, "k", "echo one; sleep 0.3; echo two", background=True)
    assert (await operations.process_output(inside.client, process.id, PATIENCE)).head == "one\ntwo\n"
    assert await operations.process_list(inside.client) == f"{process.id}\texit code 0\techo one; sleep 0.3; echo two"


async def test_a_file_is_attached_as_what_it_is(inside: Inside) -> None:
    (inside.tree / "report.md").write_text("# Report\n")
    found = await operations.attach_file(inside.client, "report.md", "final.md")
    assert (found.name, found.media_type, found.content) == ("final.md", "text/markdown", b"# Report\n")


@pytest.mark.parametrize("name", ["picture.svg", "program", "data.bin"])
async def test_what_a_chat_cannot_hold_is_not_attached(inside: Inside, name: str) -> None:
    (inside.tree / name).write_bytes(b"<svg/>" if name.endswith("svg") else b"\x7fELF\0\xff")
    with pytest.raises(WorkspaceRefused, match="cannot be attached: only PNG"):
        await operations.attach_file(inside.client, name)


async def test_a_file_over_ten_mebibytes_is_not_attached(inside: Inside) -> None:
    (inside.tree / "big.txt").write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    with pytest.raises(WorkspaceRefused, match="more than 10485760 bytes"):
        await operations.attach_file(inside.client, "big.txt")


@pytest.mark.parametrize(
    ("command", "line", "background"),
    [
        ("server &", "server", True),
        ("server&", "server", True),
        ("a && b &\n", "a && b", True),
        ("a &&", "a &&", False),
        ("echo a\\&", "echo a\\&", False),
        ("echo '&'", "echo '&'", False),
        ("a", "a", False),
    ],
)
def test_only_a_last_single_ampersand_counts(command: str, line: str, background: bool) -> None:
    assert operations.split_background(command) == (line, background)
