"""Bringing messages of another program into the chat that they belong to: each once, also where it is sent twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import msgspec
from msgspec import structs

from perdure.api.caller import Caller
from perdure.core.card import ChatSource, NewCard
from perdure.core.errors import ChatNotFound, Fenced, InvalidInput, Refused, TransitionNotAllowed, Validation
from perdure.core.ids import ChatId, FileId
from perdure.core.imports import KEY_PREFIX, LiveMessage, Outcome, OutOfPlace, Placing, placed, repaired
from perdure.core.message import File, Message, NewMessage
from perdure.machine.machine import Request
from perdure.machine.transitions import Create, TakeIn
from perdure.store.tables import files, imports, messages
from perdure.store.tables.imports import Became, ImportedMessage

TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Messages that follow one that is there, with what their chat is called."""

    source: str
    source_id: str
    title: str
    title_source: str
    labels: str
    after: str | None
    messages: tuple[NewMessage, ...]
    files: tuple[FileId, ...] = ()
    """Those that the chat does not hold yet."""

    @property
    def keys(self) -> list[str]:
        return [key_of(message.client_id) or "" for message in self.messages]


def key_of(client_id: str | None) -> str | None:
    """What the source calls a message that came from there."""
    if client_id is None or not client_id.startswith(KEY_PREFIX):
        return None
    return client_id.removeprefix(KEY_PREFIX)


def client_id_of(key: str) -> str:
    """The name that such a message has in its chat."""
    return f"{KEY_PREFIX}{key}"


@dataclass(frozen=True, slots=True)
class TakenIn:
    chat_id: ChatId | None
    outcome: Outcome
    added: int = 0


class Importer:
    """Takes batches in for one person."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._rows = caller.rows

    async def take_in(self, batch: Batch) -> TakenIn:
        for _ in range(TRIES):
            try:
                return await self._try(batch)
            except (Fenced, TransitionNotAllowed) as error:
                if isinstance(error, TransitionNotAllowed) and error.transition != "Create":
                    raise Refused("The chat is working or archived. Import again when it is idle.") from error
        raise Refused("Somebody else is importing this chat. Try again.")

    async def _try(self, batch: Batch) -> TakenIn:
        known = await imports.one(self._rows, batch.source, batch.source_id)
        if known is not None and known.chat_id is None:
            return TakenIn(None, Outcome.DELETED)
        generation = known.generation if known else 1
        chat_id = known.chat_id if known and known.chat_id else self._id(batch, generation)
        try:
            seen = await self._caller.chats.own(chat_id)
        except ChatNotFound:
            if batch.after is not None:
                raise Refused("The messages before these are missing. Import from the beginning.") from None
            return await self._create(batch, chat_id, generation, batch.messages, Outcome.CREATED)
        live = [_live(row) for row in await imports.keys(self._rows, chat_id) if not row.hidden]
        try:
            place = placed(live, batch.after, list(zip(batch.keys, [m.role for m in batch.messages], strict=True)))
        except OutOfPlace:
            raise Refused("The messages before these are missing. Import from the beginning.") from None
        new = batch.messages[place.known :]
        if not new:
            await self._settle(batch, chat_id, generation, ())
            return TakenIn(chat_id, Outcome.UNCHANGED)
        again = await self._again(chat_id, place)
        if place.apart:
            other = self._id(batch, generation + 1)
            return await self._create(batch, other, generation + 1, (*again, *new), Outcome.APART)
        history = repaired((*again, *new))
        transition = TakeIn(history, seen.chat.history_version, place.cut_from, batch.files)
        await self._caller.chats.advance(seen, lambda _: (transition,), Request())
        await self._settle(batch, chat_id, generation, new)
        return TakenIn(chat_id, Outcome.ADDED, len(new))

    async def _create(
        self, batch: Batch, chat_id: ChatId, generation: int, said: Sequence[NewMessage], outcome: Outcome
    ) -> TakenIn:
        card = NewCard(
            organisation_id=self._caller.actor.organisation_id,
            owner_id=self._caller.actor.user_id,
            title=batch.title,
            title_source=batch.title_source,
            source=ChatSource.IMPORT,
            labels=batch.labels,
        )
        history = repaired(said)
        create = Create(history, runs=False, files=_files(history))
        await self._caller.chats.create(chat_id, card, (create,), Request())
        await self._settle(batch, chat_id, generation, said)
        return TakenIn(chat_id, outcome, len(batch.messages))

    async def _again(self, chat_id: ChatId, place: Placing) -> tuple[NewMessage, ...]:
        """What is said again before the new messages, as it was said."""
        if not place.again:
            return ()
        whole = await messages.whole(self._rows, chat_id, place.again[-1])
        return tuple(_copy(message) for message in whole if message.number in place.again)

    async def _settle(self, batch: Batch, chat_id: ChatId, generation: int, said: Sequence[NewMessage]) -> None:
        times = [message.said_at for message in said if message.said_at] or [datetime.now(UTC)]
        if not said and await imports.one(self._rows, batch.source, batch.source_id) is not None:
            return
        became = Became(batch.source, batch.source_id, chat_id, generation, min(times), max(times))
        version = await imports.settle(self._rows, became)
        if version is not None:
            self._caller.announcements.card_changed(chat_id, version)

    def _id(self, batch: Batch, generation: int) -> ChatId:
        """The same for the same chat, whoever of several imports comes first."""
        name = msgspec.json.encode(["import", batch.source, batch.source_id, generation]).decode()
        return ChatId(uuid5(self._caller.actor.user_id, name))


def _files(history: Sequence[NewMessage]) -> tuple[FileId, ...]:
    named = [part.file_id for message in history for part in message.parts if isinstance(part, File)]
    return tuple(FileId(UUID(file_id)) for file_id in dict.fromkeys(named))


def _live(row: ImportedMessage) -> LiveMessage:
    return LiveMessage(row.number, row.role, key_of(row.client_id))


def _copy(message: Message) -> NewMessage:
    fields: dict[str, Any] = {name: getattr(message, name) for name in NewMessage.__struct_fields__}
    return structs.replace(NewMessage(**fields), said_at=message.created_at)


async def files_of(
    caller: Caller, source: str, source_id: str, wanted: Sequence[UUID]
) -> tuple[dict[UUID, File], tuple[FileId, ...]]:
    """The files that messages name, and those of them that the chat does not hold yet."""
    if not wanted:
        return {}, ()
    known = await imports.one(caller.rows, source, source_id)
    found = await files.usable(caller.rows, wanted, known.chat_id if known else None)
    if missing := set(wanted) - {file.id for file in found}:
        raise InvalidInput("File not found.", Validation("file_id", f"{min(missing)} is not known"))
    named: dict[UUID, File] = {file.id: File(str(file.id), file.name, file.media_type) for file in found}
    return named, tuple(FileId(file.id) for file in found if not file.held)
