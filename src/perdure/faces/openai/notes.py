"""What clients of OpenAI's API keep beside chats: metadata, and items that wait for the next response."""

from collections.abc import Sequence

import msgspec

from perdure.api.caller import Caller
from perdure.core.ids import ChatId
from perdure.faces.openai.wire import InputItem, Metadata
from perdure.store.tables import face_notes

CONVERSATION = 0
"""The number under which a conversation's own notes are; others are those of the response to a message."""
_metadata = msgspec.json.Decoder(dict[str, str])
_items = msgspec.json.Decoder(tuple[InputItem, ...])


async def metadata_of(caller: Caller, chat_id: ChatId, number: int = CONVERSATION) -> dict[str, str]:
    note = await face_notes.read(caller.rows, chat_id, number)
    return _metadata.decode(note.metadata) if note else {}


async def keep_metadata(caller: Caller, chat_id: ChatId, metadata: Metadata, number: int = CONVERSATION) -> None:
    await face_notes.write(caller.rows, chat_id, number, msgspec.json.encode(metadata).decode(), None)


async def waiting(caller: Caller, chat_id: ChatId) -> tuple[InputItem, ...]:
    """What was added to a conversation and is not answered yet."""
    note = await face_notes.read(caller.rows, chat_id, CONVERSATION)
    return _items.decode(note.items) if note else ()


async def keep_waiting(caller: Caller, chat_id: ChatId, items: Sequence[InputItem]) -> None:
    await face_notes.write(caller.rows, chat_id, CONVERSATION, None, msgspec.json.encode(items).decode())


async def forget(caller: Caller, chat_id: ChatId) -> None:
    await face_notes.remove(caller.rows, chat_id)
