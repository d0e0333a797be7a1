"""Terminals: a shell that remembers its screen."""

import hashlib
from contextlib import aclosing

import pytest
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.wire import Frame


async def read_until(inside: Inside, terminal: str, wanted: bytes, offset: int = 0) -> tuple[bytes, int]:
    """What the screen says from an offset on, until a text has appeared; and the offset after it."""
    heard = b""
    async with aclosing(inside.client.terminals.follow(terminal, offset)) as frames:
        async for frame in frames:
            heard += frame.content
            offset = frame.offset + len(frame.content)
            if wanted in heard:
                break
    return heard, offset


async def test_a_shell_answers_what_is_typed(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(100, 30)
    await inside.client.terminals.type(terminal.id, b"echo $((6*7)) $(tty | cut -c1-9); stty size\n")
    heard, _ = await read_until(inside, terminal.id, b"30 100")
    assert b"42 /dev/pts/" in heard


async def test_a_screen_is_resumed_at_an_offset(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(80, 24)
    await inside.client.terminals.type(terminal.id, b"echo fir''st\n")
    _, offset = await read_until(inside, terminal.id, b"first")
    await inside.client.terminals.type(terminal.id, b"echo sec''ond\n")
    heard, _ = await read_until(inside, terminal.id, b"second", offset)
    assert b"first" not in heard


async def test_a_terminal_takes_a_new_size(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(80, 24)
    await inside.client.terminals.resize(terminal.id, 132, 50)
    await inside.client.terminals.type(terminal.id, b"stty size\n")
    heard, _ = await read_until(inside, terminal.id, b"50 132")
    assert b"50 132" in heard


async def test_leaving_the_shell_ends_the_stream_and_what_it_left_behind(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(80, 24)
    await inside.client.terminals.type(terminal.id, b"sleep 60 & exit\n")
    frames: list[Frame] = [frame async for frame in inside.client.terminals.follow(terminal.id)]
    assert frames
    assert [found.closed for found in await inside.client.terminals.list()] == [True]


async def test_closing_ends_the_shell(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(80, 24)
    await read_until(inside, terminal.id, b"")
    await inside.client.terminals.close(terminal.id)
    assert [frame async for frame in inside.client.terminals.follow(terminal.id, 1 << 40)] == []


async def test_an_unknown_terminal_is_refused(inside: Inside) -> None:
    with pytest.raises(WorkspaceRefused, match="open a new one"):
        await inside.client.terminals.type("t0", b"x")


async def test_a_name_leads_back_to_the_shell_that_runs_and_to_a_new_one_after_it_ended(inside: Inside) -> None:
    terminals = inside.client.terminals
    first = await terminals.open(80, 24, "tab")
    assert (await terminals.open(80, 24, "tab")).id == first.id
    assert (await terminals.open(80, 24, "other")).id != first.id
    await terminals.close(first.id)
    assert [frame async for frame in terminals.follow(first.id, 1 << 40)] == []
    assert (await terminals.open(80, 24, "tab")).id != first.id


async def test_everything_that_is_typed_arrives_also_what_the_shell_does_not_read_yet(inside: Inside) -> None:
    terminal = await inside.client.terminals.open(80, 24)
    await inside.client.terminals.type(terminal.id, b"stty -icanon; echo rea''dy; head -c 100000 | sha256sum\n")
    await read_until(inside, terminal.id, b"ready")
    text = b"".join(b"%09d\n" % number for number in range(10_000))
    await inside.client.terminals.type(terminal.id, text)
    heard, _ = await read_until(inside, terminal.id, b"  -")
    assert hashlib.sha256(text).hexdigest().encode() in heard
