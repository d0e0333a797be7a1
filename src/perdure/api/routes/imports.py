"""Chats that people bring along from other programs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import msgspec

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routes.chats import titled
from perdure.api.routing import Routes
from perdure.api.submission import Said
from perdure.api.taking_in import Batch, Importer, client_id_of, files_of, key_of
from perdure.api.wire.imports import (
    IMPORT_LIMIT,
    AnyImportedPart,
    ImportBody,
    ImportedCall,
    ImportedFile,
    ImportedMessage,
    ImportedReasoning,
    ImportedResult,
    ImportedText,
    ImportQuery,
    ImportResult,
    ImportState,
)
from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import ModelName, UserId
from perdure.core.message import AnyPart, File, NewMessage, Reasoning, Role, Text, ToolCall, ToolResult
from perdure.core.text import encodable, storable
from perdure.store.tables import imports

routes = Routes("imports")


@routes.get("/imports")
async def read_import(caller: Caller, query: ImportQuery) -> ImportState:
    """What a chat of another program is here, and which of its messages are there."""
    known = await imports.one(caller.rows, query.source, query.source_id)
    if known is None or known.chat_id is None:
        return ImportState(chat_id=None, deleted=known is not None, live=(), hidden=())
    rows = await imports.keys(caller.rows, known.chat_id)
    keys = [(key, row.hidden) for row in rows if (key := key_of(row.client_id)) is not None]
    live = tuple(key for key, hidden in keys if not hidden)
    hidden = tuple(dict.fromkeys(key for key, hidden in keys if hidden))
    return ImportState(chat_id=known.chat_id, deleted=False, live=live, hidden=hidden)


@routes.post("/imports", apart=True, body_limit=IMPORT_LIMIT)
async def import_messages(caller: Caller, body: ImportBody) -> ImportResult:
    """Bring messages of a chat of another program along. Those that are there are not added again."""
    caller.actor.require(Permission.CHAT)
    if len({message.key for message in body.messages}) < len(body.messages):
        raise InvalidInput("Two messages have the same key.", Validation("messages", "keys must differ"))
    if any(message.role is Role.SYSTEM for message in body.messages):
        raise InvalidInput(
            "System messages cannot be imported.", Validation("messages", "system prompts are not imported")
        )
    wanted = [part.file_id for message in body.messages for part in message.parts if isinstance(part, ImportedFile)]
    known, new_files = await files_of(caller, body.source, body.source_id, wanted)
    now = caller.services.clock.now()
    said = tuple(_message(message, known, caller.actor.user_id, now) for message in body.messages)
    first = next((message.parts for message in said if message.role is Role.USER), said[0].parts)
    title = titled(body.title.strip(), Said(first))
    labels = msgspec.json.encode({"imported": body.source, **body.labels}).decode()
    batch = Batch(
        source=body.source,
        source_id=storable(body.source_id),
        labels=labels,
        after=body.after,
        messages=said,
        files=new_files,
        **title,
    )
    taken = await Importer(caller).take_in(batch)
    return ImportResult(chat_id=taken.chat_id, outcome=taken.outcome, added=taken.added)


def _message(message: ImportedMessage, known: dict[UUID, File], owner: UserId, now: datetime) -> NewMessage:
    by_person = message.role is Role.USER
    return NewMessage(
        role=message.role,
        parts=_parts(message.parts, known),
        created_by=owner if by_person else None,
        model=ModelName(message.model) if message.model and message.role is Role.ASSISTANT else None,
        client_id=client_id_of(message.key),
        said_at=min(_moment(message.created_at) or now, now),
    )


def _moment(said: datetime | None) -> datetime | None:
    """A time without a zone is taken as UTC; one before there were computers as none."""
    if said is None or said.year < 1970:
        return None
    return said if said.tzinfo else said.replace(tzinfo=UTC)


def _parts(parts: Sequence[AnyImportedPart], known: dict[UUID, File]) -> tuple[AnyPart, ...]:
    made = list[AnyPart]()
    for part in parts:
        match part:
            case ImportedText(text=text):
                made.append(Text(encodable(text)))
            case ImportedReasoning(text=text):
                made.append(Reasoning(encodable(text)))
            case ImportedCall():
                made.append(ToolCall(part.call_id, part.tool, encodable(part.args)))
            case ImportedResult():
                made.append(ToolResult(part.call_id, part.tool, encodable(part.result), is_error=part.is_error))
            case ImportedFile(file_id=file_id):
                made.append(known[file_id])
    return tuple(made)
