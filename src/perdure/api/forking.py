"""A history as another chat begins with it."""

from bisect import bisect_right
from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from perdure.core.ids import FileId, MessageNumber
from perdure.core.message import Message, NewMessage
from perdure.core.parts import File, ToolResult


def copied(history: Sequence[Message]) -> tuple[NewMessage, ...]:
    """The messages under new numbers. What they cost was paid for elsewhere."""
    numbers = [message.number for message in history]
    return tuple(_copy(message, numbers) for message in history)


def _copy(message: Message, numbers: Sequence[int]) -> NewMessage:
    fields = {name: getattr(message, name) for name in NewMessage.__struct_fields__}
    covers = message.covers and MessageNumber(bisect_right(numbers, message.covers))
    cost = None if message.cost is None else 0
    return structs.replace(NewMessage(**fields), cost=cost, covers=covers, client_id=None, queued_as=None)


def files_in(history: Sequence[Message]) -> tuple[dict[FileId, None], dict[FileId, None]]:
    """The files that the messages name: those that were attached, and the others that tools made."""
    attached: dict[FileId, None] = {}
    made: dict[FileId, None] = {}
    for message in history:
        for part in message.parts:
            if isinstance(part, File):
                attached[FileId(UUID(part.file_id))] = None
            elif isinstance(part, ToolResult):
                made |= dict.fromkeys(FileId(UUID(media.file_id)) for media in part.media)
    return attached, {file: None for file in made if file not in attached}
