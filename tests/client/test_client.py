"""The client against a real server: turns, tools, streams that break, and code without an event loop."""

import asyncio
import signal
import sys
from collections.abc import Collection
from contextlib import aclosing, closing

import pytest
from tests.client.cuts import BreakingNetwork

from perdure.client import ApiError, Chat, Chats, Client, EventStream, Transport, blocking, tool
from perdure.core.chat import Busy, Status
from perdure.core.deltas import TextDelta
from perdure.core.events import MessagePart
from perdure.core.failure import ErrorKind
from perdure.core.message import Role, ToolResult
from perdure.testing.fleet import Fleet

TRANSPORTS = pytest.mark.parametrize("transport", list(Transport))


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_a_turn_is_awaited_and_its_text_read(client: Client) -> None:
    chat = await client.chats.create("[[say:hello there]]")
    turn = await chat.answer()
    assert (turn.status, turn.text) == (Status.WAITING, "hello there")
    await chat.send("[[say:again]]")
    assert (await chat.answer()).text == "again"
    assert [card.id for card in (await client.chats.list()).items] == [chat.id]


async def test_a_tool_of_the_client_is_run_on_its_side(client: Client) -> None:
    chat = await client.chats.create('[[call:add {"a": 2, "b": 3}]]', tools=[add])
    turn = await chat.answer()
    results = [part.result for message in turn.messages for part in message.parts if isinstance(part, ToolResult)]
    assert (results, turn.status) == (["5"], Status.WAITING)


async def test_a_busy_chat_is_interrupted_and_keeps_what_it_said(client: Client, fleet: Fleet) -> None:
    chat = await client.chats.create("[[say:20 tokens]] [[gate:never]]")
    await fleet.sim.gates["never"].reached()
    await chat.send("and then?", busy=Busy.QUEUE)
    await chat.interrupt()
    turn = await chat.answer()
    assert turn.status is Status.WAITING
    assert [message.role for message in await chat.messages()][::-1] == [
        Role.USER,
        Role.ASSISTANT,
        Role.USER,
        Role.ASSISTANT,
    ]


@TRANSPORTS
async def test_a_stream_tells_what_the_history_holds(client: Client, transport: Transport) -> None:
    chat = await client.chats.create("[[say:200 tokens]]")
    stream = chat.stream(transport=transport)
    await _rest(stream)
    assert not _busy(client)
    assert stream.transcript.messages == list(reversed(await chat.messages()))


def _busy(client: Client) -> Collection[object]:
    """The connections that are in use."""
    return client.connection.session.connector._acquired  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]


async def _rest(stream: EventStream) -> int:
    """Follow to the end of the turn; how many parts came."""
    parts = 0
    events = aiter(stream)
    async with aclosing(events):
        async for event in events:
            parts += isinstance(event, MessagePart)
            if stream.transcript.status is Status.WAITING and stream.transcript.card is not None:
                return parts
    raise AssertionError


async def test_a_chat_that_is_not_there_is_an_error_that_says_so(client: Client) -> None:
    with pytest.raises(ApiError) as missing:
        await client.chats.get("00000000-0000-0000-0000-000000000000")
    assert missing.value.status == 404


@TRANSPORTS
async def test_a_network_that_breaks_again_and_again_loses_nothing(fleet: Fleet, transport: Transport) -> None:
    lengths = iter((300, 700, 1_500, 2_500, 3_000, 4_000))
    network = BreakingNetwork(fleet.replicas[0].url, lambda: next(lengths, 10**9))
    async with network.running(), Client(network.url, token=fleet.person.token) as client:
        # The answer alone is longer than what any of those connections carries: each of them breaks.
        chat = await client.chats.create("[[rate:500]] [[say:1500 tokens]]")
        stream = chat.stream(transport=transport)
        await _rest(stream)
    async with Client(fleet.replicas[0].url, token=fleet.person.token) as client:
        whole = await (await client.chats.get(chat.id)).messages()
    assert stream.transcript.messages == list(reversed(whole))
    assert network.cuts == 6


@TRANSPORTS
async def test_another_program_goes_on_in_the_middle_of_an_answer(
    client: Client, fleet: Fleet, transport: Transport
) -> None:
    chat = await client.chats.create("[[say:one]] [[gate:middle]] [[say:two]] [[gate:end]]")
    said, first = "", chat.stream(transport=transport)
    async with aclosing(aiter(first)) as events, asyncio.timeout(60):
        async for event in events:
            if isinstance(event, MessagePart):
                said += _text(event.part)
                break
    await fleet.sim.gates["middle"].reached()
    second = chat.stream(first.cursor, transport=transport)
    async with aclosing(aiter(second)) as events, asyncio.timeout(60):
        async for event in events:
            await fleet.sim.gates["middle"].set(open=True)
            if isinstance(event, MessagePart):
                said += _text(event.part)
            if said.endswith("two"):
                break
    assert said == "onetwo"


def _text(part: object) -> str:
    return part.text if isinstance(part, TextDelta) else ""


async def test_code_without_an_event_loop_does_the_same(fleet: Fleet) -> None:
    def work() -> tuple[Status, list[str]]:
        with blocking.BlockingClient(fleet.replicas[0].url, token=fleet.person.token) as client:
            chat = client.chats.create('[[call:add {"a": 20, "b": 22}]]', tools=[add])
            status = chat.answer().status
            with closing(chat.stream()) as events:
                return status, [type(next(events)).__name__ for _ in range(3)]

    assert await asyncio.to_thread(work) == (Status.WAITING, ["MessageEvent"] * 3)


async def test_a_turn_that_fails_says_why(client: Client) -> None:
    turn = await (await client.chats.create("[[fault:auth]]")).answer()
    assert turn.status is Status.ERROR
    assert turn.error is not None
    assert turn.error.kind is ErrorKind.AUTH


async def test_the_models_that_a_chat_may_use_are_listed(client: Client) -> None:
    (model,) = await client.models()
    assert model["default"] is True


FOLLOWING = """
import signal, sys
# Whoever runs the tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from perdure.client.blocking import BlockingClient
with BlockingClient(sys.argv[1], token=sys.argv[2]) as client:
    try:
        for event in client.chats.create("[[say:so far]] [[gate:never]]").stream():
            print(type(event).__name__, flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


async def test_ctrl_c_stops_code_without_an_event_loop_where_it_follows(fleet: Fleet) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", FOLLOWING, fleet.replicas[0].url, fleet.person.token),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.readuntil(b"MessagePart\n"), 60)
    process.send_signal(signal.SIGINT)
    out, aside = await asyncio.wait_for(process.communicate(), 60)
    assert (out.splitlines()[-1], process.returncode) == (b"stopped", 0)
    assert b"Traceback" not in aside


INTERRUPTED = """
import asyncio, random, signal
from perdure.client.blocking import _Loop

def interrupt(*_):
    raise KeyboardInterrupt

async def events():
    while True:
        await asyncio.sleep(0.0002)
        yield None

async def following(stream):
    await anext(stream)

def follow(loop):
    stream = events()
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.00005, 0.003))
        while True:
            loop.do(following(stream))
    finally:
        loop.do(stream.aclose())

signal.signal(signal.SIGALRM, interrupt)
loop, heard = _Loop(), 0
for _ in range(1000):
    try:
        follow(loop)
    except KeyboardInterrupt:
        heard += 1
loop.close()
print(heard)
"""


async def test_an_interruption_is_heard_at_any_moment() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-c", INTERRUPTED),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, aside = await process.communicate()
    assert (out, aside) == (b"1000\n", b"")


def test_code_without_an_event_loop_can_do_all_that_other_code_can() -> None:
    for ours, theirs in (
        (Chat, blocking.BlockingChat),
        (Chats, blocking.BlockingChats),
        (Client, blocking.BlockingClient),
    ):
        missing = {name for name in vars(ours) if not name.startswith("_")} - set(vars(theirs))
        assert missing <= {"connection"}


@TRANSPORTS
async def test_a_stream_that_is_refused_says_why(client: Client, transport: Transport) -> None:
    chat = await client.chats.create("[[say:hello]]")
    events = aiter(chat.stream("nonsense", transport=transport))
    with pytest.raises(ApiError, match="This cursor is not valid"):
        await anext(events)
