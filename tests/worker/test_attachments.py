"""Attachments in whole turns: small ones cost little, and what does not fit never ends a chat."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import pytest
from aiohttp import web
from msgspec import structs
from tests.providers.pictures import picture

from perdure.core.card import NewCard
from perdure.core.chat import Chat, State
from perdure.core.ids import ChatId, FileId
from perdure.core.message import File, Kind, NoticePart
from perdure.machine.transitions import Acquire, Create, RecordGenerationAttempt, SendMessage
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica

SMALL = "small-window-8k"
LARGE = b"word " * 20_000
ANSWER = b"".join(
    b"data: " + event + b"\n\n"
    for event in (
        b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I see."}}',
        b'{"type":"message_stop"}',
    )
)
REFUSAL = {"type": "error", "error": {"type": "invalid_request_error", "message": "Could not process image"}}


async def stored(replica: InProcessReplica, *contents: bytes) -> list[File]:
    files: list[File] = []
    for number, content in enumerate(contents, 1):
        kind = "image/png" if content.startswith(b"\x89PNG") else "text/plain"
        files.append(File(str(uuid4()), f"{number}.{'png' if kind == 'image/png' else 'txt'}", kind))
        await replica.pool.execute(
            "INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7)",
            files[-1].file_id,
            replica.organisation,
            replica.user,
            files[-1].name,
            kind,
            len(content),
            content,
        )
    return files


async def asked(
    replica: InProcessReplica, model: str, *contents: bytes, chat: ChatId | None = None
) -> tuple[ChatId, Chat]:
    """Somebody attaches files to a question, in a new chat or in this one."""
    files = await stored(replica, *contents)
    plain = replica.says("[[say:20 tokens]] Look at these.", model=model)
    message = structs.replace(plain, parts=(*plain.parts, *files))
    ids = tuple(FileId(UUID(file.file_id)) for file in files)
    owner = replica.worker.runners.take(replica.user)
    assert owner is not None
    taken = (Acquire(owner), RecordGenerationAttempt())
    if chat is None:
        chat = ChatId(uuid4())
        card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="Files")
        committed = await replica.machine.create(chat, card, [Create((message,), files=ids), *taken])
    else:
        sent = (SendMessage(message, files=ids), *taken)
        committed = await replica.machine.change_by(chat, lambda _: sent)
    replica.worker.runners.taken(committed, owner)
    return chat, await replica.comes_to_rest(chat)


async def notices(replica: InProcessReplica, chat: ChatId) -> list[str]:
    rows = [row for row in await replica.messages(chat) if row.kind is Kind.NOTICE]
    return [part.text for row in rows for part in row.parts if isinstance(part, NoticePart)]


async def test_nine_small_files_are_nine_small_files(replica: InProcessReplica, sim: Simulator) -> None:
    _, rested = await asked(replica, "demo", *(f"{n};".encode() for n in range(9)))
    assert (rested.state, rested.last_error) == (State.W, None)
    body = bytes(sim.requests[-1].body)
    assert all(f'<file name=\\"{n + 1}.txt\\">\\n{n};\\n'.encode() in body for n in range(9))


@pytest.mark.parametrize("window", [8_000, 200_000], ids=["known", "thought larger"])
async def test_a_file_that_does_not_fit_is_left_out_with_a_word_to_all(
    replica: InProcessReplica, sim: Simulator, window: int
) -> None:
    replica.models.window = window
    chat, rested = await asked(replica, SMALL, LARGE, b"short")
    assert (rested.state, rested.last_error) == (State.W, None)
    body = bytes(sim.requests[-1].body)
    assert b"does not fit: 1.txt." in body
    assert b"Look at these." in body
    assert b"\\nshort\\n" in body
    assert await notices(replica, chat) == ["Too large for what the model can read at once, and left out: 1.txt."]
    await replica.someone_adds(chat, "[[say:20 tokens]] And now?")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)


async def test_a_file_that_does_not_fit_later_in_a_chat_does_not_end_it(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.models.window = 8_000
    chat, _ = await asked(replica, SMALL, b"short")
    _, rested = await asked(replica, SMALL, LARGE, chat=chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    assert b"does not fit: 1.txt." in bytes(sim.requests[-1].body)
    assert b"Look at these." in bytes(sim.requests[-1].body)


@asynccontextmanager
async def without_pictures() -> AsyncGenerator[tuple[str, list[bytes]]]:
    """A provider that refuses every request with a picture in it, and what it was asked."""
    bodies: list[bytes] = []

    async def answered(request: web.Request) -> web.Response:
        bodies.append(await request.read())
        if b'"type":"image"' in bodies[-1]:
            return web.json_response(REFUSAL, status=400)
        return web.Response(body=ANSWER, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/{path:.*}", answered)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", bodies
    finally:
        await runner.cleanup()


async def test_a_picture_that_the_provider_refuses_is_left_out_with_a_word_to_all(replica: InProcessReplica) -> None:
    async with without_pictures() as (url, bodies):
        replica.models.url = url
        chat, rested = await asked(replica, "demo", picture(), b"short")
        assert (rested.state, rested.last_error) == (State.W, None)
        assert [b'"type":"image"' in body for body in bodies[:2]] == [True, False]
        assert b"the provider refuses it: 1.png." in bodies[1]
        assert b"\\nshort\\n" in bodies[1]
        assert await notices(replica, chat) == ["Refused by the provider, and left out: 1.png."]
        await replica.someone_adds(chat, "And now?")
        rested = await replica.comes_to_rest(chat)
        assert (rested.state, rested.last_error) == (State.W, None)


async def test_a_picture_that_is_broken_is_not_sent(replica: InProcessReplica) -> None:
    async with without_pictures() as (url, bodies):
        replica.models.url = url
        _, rested = await asked(replica, "demo", picture(500, 500)[:400], b"short")
        assert (rested.state, rested.last_error) == (State.W, None)
        assert b"is a picture that could not be read" in bodies[0]
        assert not any(b'"type":"image"' in body for body in bodies)
