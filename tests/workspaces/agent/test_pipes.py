"""Pipes: commands that one client talks with."""

import asyncio

import pytest
from tests.workspaces.inside import Inside
from tests.workspaces.waiting import alive, eventually

from perdure.core.errors import WorkspaceRefused


async def test_what_is_written_is_read_and_what_it_prints_comes_back(inside: Inside) -> None:
    pipe = await inside.client.pipes.open('while read line; do echo "got $line in $PLACE"; done', {"PLACE": "here"})
    output = inside.client.pipes.follow(pipe.id)
    await inside.client.pipes.write(pipe.id, b"one\ntwo\n")
    heard = b""
    while heard.count(b"\n") < 2:
        heard += (await anext(output)).content
    assert heard == b"got one in here\ngot two in here\n"
    await output.aclose()


async def test_a_line_of_megabytes_goes_both_ways_whole(inside: Inside) -> None:
    pipe = await inside.client.pipes.open("head -c 3000000", {})
    output = inside.client.pipes.follow(pipe.id)
    writing = asyncio.create_task(inside.client.pipes.write(pipe.id, b"x" * 3_000_000))
    heard = b"".join([frame.content async for frame in output])
    await writing
    assert heard == b"x" * 3_000_000


async def test_what_it_prints_last_is_not_lost_and_its_complaints_are_kept(inside: Inside) -> None:
    pipe = await inside.client.pipes.open("echo last words; echo no such thing >&2; exit 3", {})
    heard = [frame.content async for frame in inside.client.pipes.follow(pipe.id)]
    assert b"".join(heard) == b"last words\n"
    looked = await inside.client.pipes.look(pipe.id)
    assert looked.complaints == "no such thing\n"


async def test_it_ends_with_whoever_listens_and_so_does_what_it_started(inside: Inside) -> None:
    pipe = await inside.client.pipes.open("sleep 1000 & echo $!; cat", {})
    output = inside.client.pipes.follow(pipe.id)
    child = int((await anext(output)).content)
    assert alive(child)
    await output.aclose()
    await eventually(lambda: not alive(child))


async def test_only_one_may_listen(inside: Inside) -> None:
    pipe = await inside.client.pipes.open("echo hello; cat", {})
    output = inside.client.pipes.follow(pipe.id)
    await anext(output)
    with pytest.raises(WorkspaceRefused, match="somebody listens"):
        await anext(inside.client.pipes.follow(pipe.id))
    await output.aclose()


async def test_an_empty_command_is_refused(inside: Inside) -> None:
    with pytest.raises(WorkspaceRefused, match="command must be"):
        await inside.client.pipes.open(" ", {})


async def test_a_command_that_ends_without_reading_keeps_nobody_waiting(inside: Inside) -> None:
    pipe = await inside.client.pipes.open("read line; exit", {})
    output = inside.client.pipes.follow(pipe.id)
    await inside.client.pipes.write(pipe.id, b"x" * 1_000_000)
    await inside.client.pipes.write(pipe.id, b"\n" * 1_000_000)
    assert [frame async for frame in output] == []
