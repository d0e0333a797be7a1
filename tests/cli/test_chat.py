"""`perdure chat` as a process: one question, a conversation, Ctrl-C, and going on another day."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.cli.conftest import PERDURE
from tests.cli.terminal import terminal

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


async def started(fleet: Fleet, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(PERDURE, "chat", "--url", fleet.replicas[0].url, "--token", fleet.person.token, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process, given: str | None = None) -> tuple[int | None, str, str]:
    out, aside = await asyncio.wait_for(process.communicate(None if given is None else given.encode()), 60)
    return process.returncode, (out or b"").decode(), aside.decode()


async def test_one_question_prints_one_answer(fleet: Fleet) -> None:
    assert await ended(await started(fleet, "[[say:hello there]]")) == (0, "hello there\n", "")


async def test_a_question_comes_from_the_input(fleet: Fleet) -> None:
    assert (await ended(await started(fleet, "-"), "[[say:from a pipe]]"))[:2] == (0, "from a pipe\n")


async def test_a_turn_that_fails_says_why_and_exits_with_one(fleet: Fleet) -> None:
    code, out, aside = await ended(await started(fleet, "[[fault:auth]]"))
    assert (code, out) == (1, "")
    assert aside.startswith("! ")


async def test_a_conversation_goes_on_another_day(fleet: Fleet) -> None:
    code, out, aside = await ended(await started(fleet), "[[say:one]]\n")
    assert (code, out) == (0, "one\n")
    found = re.search(r"perdure chat --url \S+ --chat ([0-9a-f-]{36})", aside)
    assert found is not None
    assert (await ended(await started(fleet, "--chat", found[1], "[[say:two]]")))[1] == "two\n"
    assert await fleet.said(0, found[1]) == ["[[say:one]]", "one", "[[say:two]]", "two"]


async def test_what_a_script_says_while_the_answer_before_ends_is_answered_too(fleet: Fleet) -> None:
    process = await started(fleet)
    assert process.stdin is not None
    assert process.stdout is not None
    for word in ("one", "two", "six"):
        process.stdin.write(f"[[say:{word}]]\n".encode())
        await asyncio.wait_for(process.stdout.readuntil(word.encode()), 60)
    _, out, _ = await ended(process, "[[say:end]]\n")
    assert out.split() == ["end"]


async def test_ctrl_c_stops_the_agent_and_keeps_what_it_said(fleet: Fleet) -> None:
    process = await started(fleet, "[[say:so far]] [[gate:never]]")
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readexactly(6), 60) == b"so far"
    process.send_signal(signal.SIGINT)
    code, _, _ = await ended(process)
    assert code == 0
    (chat,) = [row["id"] for row in await fleet.pool.fetch("SELECT id FROM chats")]
    assert (await fleet.said(0, str(chat)))[1].startswith("so far")


async def test_a_server_that_is_not_there_is_said_in_one_line(fleet: Fleet) -> None:
    fleet.replicas[0].url = "http://127.0.0.1:9"
    code, _, aside = await ended(await started(fleet, "hello"))
    assert (code, aside) == (
        1,
        "perdure: No answer at http://127.0.0.1:9. Is the server running, and is the address right?\n",
    )


async def test_an_address_may_end_as_the_documents_write_it_and_a_wrong_token_is_said(fleet: Fleet) -> None:
    fleet.replicas[0].url += "/api/v1"
    assert await ended(await started(fleet, "[[say:hello]]")) == (0, "hello\n", "")
    fleet.person.token = "pdt_wrong"
    code, _, aside = await ended(await started(fleet, "hello"))
    assert (code, aside.endswith("`perdure tokens add NAME` on the server makes one.\n")) == (1, True)
    fleet.replicas[0].url = "127.0.0.1:9"
    code, _, aside = await ended(await started(fleet, "hello"))
    assert (code, aside.startswith("perdure: --url is not usable: it must start with http://")) == (2, True)


async def _only(fleet: Fleet) -> str:
    """The one chat that there is."""
    (row,) = await fleet.pool.fetch("SELECT id FROM chats")
    return str(row["id"])


def _at(fleet: Fleet, *arguments: str) -> tuple[str, ...]:
    return (PERDURE, "chat", "--url", fleet.replicas[0].url, "--token", fleet.person.token, *arguments)


async def test_somebody_at_a_terminal_is_greeted_asked_and_told_how_to_come_back(fleet: Fleet) -> None:
    async with terminal(*_at(fleet)) as (screen, process):
        assert "/help lists" in await screen.sees("> ")
        screen.type("[[say:one]] [[gate:never]]\n")
        await screen.sees("one")
        screen.type("[[say:two]]\n")
        await screen.sees("(1 queued)")
        screen.type("\x03")
        await screen.sees("two")
        await screen.sees("> ")
        screen.type("\x03")
        await screen.sees("Go on with: ")
        told = await screen.sees("\r\n")
        assert told.endswith(f"perdure chat --url {fleet.replicas[0].url} --chat {await _only(fleet)}")
        assert await asyncio.wait_for(process.wait(), 60) == 0
    chat = await _only(fleet)
    async with terminal(*_at(fleet, "--chat", chat)) as (screen, process):
        recalled = await screen.sees("> ")
        assert "you: [[say:two]]" in recalled
        assert "agent: two" in recalled
        screen.type("/quit\n")
        assert await asyncio.wait_for(process.wait(), 60) == 0


async def test_nothing_that_an_agent_says_reaches_the_terminal_as_a_command(fleet: Fleet) -> None:
    async with terminal(*_at(fleet, "[[say:red \x1b[2J\x07 alert]]")) as (screen, process):
        assert await asyncio.wait_for(process.wait(), 60) == 0
        assert await screen.sees("alert") == "red \ufffd[2J\ufffd "


async def test_an_output_that_nobody_reads_any_more_ends_the_command(fleet: Fleet) -> None:
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *_at(fleet, "[[say:hello there]] [[gate:never]]"), stdout=writing, stderr=asyncio.subprocess.PIPE
    )
    os.close(reading)
    os.close(writing)
    assert await ended(process) == (1, "", "")


async def test_bytes_that_are_no_text_are_sent_as_what_can_be_read_of_them(fleet: Fleet) -> None:
    process = await started(fleet)
    out, _ = await asyncio.wait_for(process.communicate(b"\xff [[say:understood]]\n"), 60)
    assert (process.returncode, out) == (0, b"understood\n")
    argument = os.fsdecode(b"\xff [[say:understood]]")
    assert (await ended(await started(fleet, argument)))[:2] == (0, "understood\n")
