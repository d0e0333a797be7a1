"""Attachments in whole turns: small ones cost little, and what does not fit never ends a chat."""

from uuid import UUID, uuid4

import pytest
from msgspec import structs

from perdure.core.card import NewCard
from perdure.core.chat import Chat, State
from perdure.core.ids import ChatId, FileId
from perdure.core.message import File, Kind, NoticePart
from perdure.machine.transitions.driving import Acquire, RecordGenerationAttempt
from perdure.machine.transitions.lifecycle import Create
from perdure.machine.transitions.messages import SendMessage
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica

SMALL = "small-window-8k"
LARGE = b"word " * 20_000


async def stored(replica: InProcessReplica, *contents: bytes) -> list[File]:
    files: list[File] = []
    for number, content in enumerate(contents, 1):
        files.append(File(str(uuid4()), f"{number}.txt", "text/plain"))
        await replica.pool.execute(
            "INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content) "
            "VALUES ($1, $2, $3, $4, 'text/plain', $5, $6)",
            files[-1].file_id,
            replica.organisation,
            replica.user,
            files[-1].name,
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
