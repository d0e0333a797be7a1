"""The texts a model reads."""

import pytest

from perdure.workspaces import answers
from perdure.workspaces.wire import (
    ChangedFile,
    Entry,
    Listing,
    Match,
    Matches,
    Process,
    ProcessState,
    TextPage,
    Written,
)


def exited(code: int | None = 0, **more: object) -> Process:
    fields = {"id": "p1", "state": ProcessState.EXITED, "exit_code": code, "duration_ms": 1234, "quiet": True, **more}
    return Process(**fields)  # pyright: ignore[reportArgumentType]


def test_lines_are_numbered_and_the_way_on_is_said() -> None:
    assert answers.page(TextPage(["a", "b"], offset=9, total_lines=40, bytes=80)) == (
        "     9\ta\n    10\tb\n[Lines 9 to 10 of 40. Continue with offset=11.]"
    )


def test_the_last_page_says_nothing_more() -> None:
    assert answers.page(TextPage(["a"], offset=3, total_lines=3, bytes=6)) == "     3\ta"


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert answers.page(TextPage([], offset=1, total_lines=0, bytes=0)) == "[The file is empty.]"


def test_a_listing_tells_kinds_apart() -> None:
    entries = [Entry("src", "directory"), Entry("a.py", "file", 12), Entry("l", "link", target="a.py")]
    assert answers.listing(Listing(".", entries, complete=False)).split("\n") == [
        "src/",
        "a.py (12 bytes)",
        "l -> a.py",
        "[There is more. List a directory further down, or use a smaller depth.]",
    ]


def test_matches_are_lines_and_too_many_say_what_to_do() -> None:
    assert answers.matches(Matches([Match("a.py", 3, "def f():")], complete=False)) == (
        "a.py:3: def f():\n[More than 1 matches. Narrow the pattern, or pass a path or a glob.]"
    )
    assert answers.matches(Matches([], complete=True)).startswith("[No match.")
    assert answers.matches(Matches([], complete=False)).startswith("[More than 0 matches.")


def test_a_write_says_whether_the_file_is_new() -> None:
    files = [ChangedFile("a", True, 3, ""), ChangedFile("b", False, 4, "")]
    assert answers.written(Written("done", files)) == "Created a (3 bytes).\nWrote b (4 bytes)."


@pytest.mark.parametrize(
    ("process", "said"),
    [
        (exited(head="hi\n"), "hi\n[Exit code 0 after 1.2 s, process p1.]"),
        (exited(2), "[Exit code 2 after 1.2 s, process p1.]"),
        (exited(None, signal="KILL"), "[Ended by signal KILL after 1.2 s, process p1.]"),
        (exited(127, failure="No such file"), "[The command could not be started: No such file.]"),
        (
            exited(head="a", tail="z", omitted_bytes=5),
            "a\n[… 5 bytes left out …]\nz\n[Exit code 0 after 1.2 s, process p1.]",
        ),
        (
            exited(None, signal="KILL", out_of_memory=True),
            "[Ended by signal KILL after 1.2 s, process p1: the workspace's memory limit",
        ),
        (exited(None, over_disk=True), "[Ended after 1.2 s, process p1: the workspace's disk limit was reached."),
        (exited(quiet=False), "It left processes running; process_signal with id p1 stops them.]"),
        (
            Process("p1", ProcessState.RUNNING, duration_ms=10_000),
            "[Process p1 is still running after 10.0 s. Use process_output",
        ),
        (Process("p1", ProcessState.LOST), "it is not known how the command ended.]"),
    ],
)
def test_a_command_ends_with_one_line_that_says_how_it_stands(process: Process, said: str) -> None:
    assert said in answers.command(process)


def test_processes_are_listed_in_short() -> None:
    running = Process("p2", ProcessState.RUNNING, command="make   all\n" + "x" * 200, duration_ms=61_000)
    first, second = answers.processes([exited(1, command="true"), running]).split("\n")
    assert first == "p1\texit code 1\ttrue"
    assert second.startswith("p2\trunning for 61 s\tmake all xxx")
    assert len(second.split("\t")[2]) == 120
