"""How far a command has come, on a terminal and elsewhere."""

import subprocess
import sys

from tests.cli.terminal import terminal

PROGRAM = """
from perdure.cli.progress import progress
with progress("one") as show:
    show("two")
print("done")
"""
AFRESH = "\r\x1b[2K"


async def test_a_line_on_a_terminal_is_written_over_and_gone_at_the_end() -> None:
    async with terminal(sys.executable, "-c", PROGRAM) as (screen, process):
        assert await screen.sees("done") == f"{AFRESH}one{AFRESH}two{AFRESH}"
        assert await process.wait() == 0


def test_nothing_is_shown_where_nobody_looks() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")
