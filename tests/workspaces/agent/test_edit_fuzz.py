"""Edits of files that nobody would write: each is made or refused in no time, and no other exception comes of it.

`--inputs 100000` tries so many, as `make proof ARGS=fuzz-edits` does.
"""

import gc
import random
import resource
import time
import tracemalloc
from contextlib import suppress

import pytest

from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.edits import Edit, Refused, edit_bytes

MOST_SECONDS = 0.2
MOST_GROWTH_KIB = 64 * 1024
MOST_KEPT_BYTES = 64 * 1024
WARM_UP = 500
ALPHABETS = (
    "a",
    "a\n",
    " \n",
    "ab \t\n",
    "=-\n ",
    "a\r\n",
    "\t x\n",
    "({[]})\n;= ",
    "é中👍\u2028\x0c\r\n a",
    "\ud800\udcffa\n",
)
WORDS = ("def f():", "    return x", "\treturn x", "# ====", "}", "", "a", "  - b", "\r", "x = [1,", "       2]")


def file(chooser: random.Random) -> str:
    size = chooser.choice((0, 1, 10, 100, 1000, 5000))
    if chooser.random() < 0.5:
        return "".join(chooser.choices(chooser.choice(ALPHABETS), k=size))
    lines = chooser.choices(WORDS, k=size // 5)
    return chooser.choice(("\n", "\r\n")).join(" " * chooser.randrange(9) + line for line in lines)


def quoted(chooser: random.Random, text: str) -> str:
    """A piece of the file, mostly not quite as it is there."""
    start = chooser.randrange(len(text) + 1)
    piece = text[start : start + chooser.choice((1, 5, 50, 500, 5000))]
    change = chooser.randrange(6)
    if change == 0:
        return "\n".join(line.strip() for line in piece.split("\n"))
    if change == 1:
        return piece.replace(" ", chooser.choice(("\t", "  ", "")))
    if change == 2:
        return piece.replace("\n", chooser.choice(("\r\n", " \n", "\n\n")))
    if change == 3:
        return piece + chooser.choice(("z", "=", "\n", " ", "\ud800"))
    return piece


def edits(chooser: random.Random, text: str) -> list[Edit]:
    return [
        Edit(quoted(chooser, text), quoted(chooser, text), chooser.random() < 0.5)
        for _ in range(chooser.choice((1, 1, 1, 3)))
    ]


def seconds(number: int) -> float:
    chooser = random.Random(number)
    text = file(chooser)
    wanted, before = edits(chooser, text), text.encode("utf-8", "surrogatepass")
    begun = time.process_time()
    with suppress(Refused):
        unified("file", before, edit_bytes(before, wanted))
    return time.process_time() - begun


def test_no_edit_of_any_file_takes_long_or_fails_in_an_unknown_way(pytestconfig: pytest.Config) -> None:
    inputs = int(str(pytestconfig.getoption("--inputs")))
    warm = max((seconds(number), number) for number in range(WARM_UP))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest, which = max(warm, *((seconds(number), number) for number in range(WARM_UP, WARM_UP + inputs)))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    told = f"edits: {inputs} inputs, slowest {slowest * 1000:.0f} ms (input {which}), {grown} KiB more memory"
    pytestconfig.get_terminal_writer().line(told)
    assert slowest < MOST_SECONDS, f"input {which}"
    assert grown < MOST_GROWTH_KIB


def test_nothing_of_an_edit_is_kept() -> None:
    """The most that a process ever had grows with the largest file; what it has afterwards does not."""
    for number in range(WARM_UP):
        seconds(number)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(WARM_UP, 2 * WARM_UP):
            seconds(number)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < MOST_KEPT_BYTES
