"""Chats of other programs on the wire."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from perdure.api.wire.chats import Labels
from perdure.api.wire.content import END, LINE
from perdure.core.ids import ChatId
from perdure.core.imports import Outcome
from perdure.core.message import Role

LONGEST_TEXT = 1024 * 1024
MOST_MESSAGES = 1_000
IMPORT_LIMIT = 16 * 1024 * 1024

SourceName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}" + END)]
SourceId = Annotated[str, Meta(min_length=1, max_length=200, pattern=LINE)]
MessageKey = Annotated[str, Meta(min_length=1, max_length=120, pattern=LINE)]
LongText = Annotated[str, Meta(max_length=LONGEST_TEXT)]
CallName = Annotated[str, Meta(max_length=200, pattern=LINE)]


class Imported(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """A piece of a message."""


class ImportedText(Imported, frozen=True, tag="text", kw_only=True):
    text: LongText


class ImportedReasoning(Imported, frozen=True, tag="reasoning", kw_only=True):
    text: LongText


class ImportedCall(Imported, frozen=True, tag="tool_call", kw_only=True):
    call_id: CallName
    tool: CallName
    args: LongText


class ImportedResult(Imported, frozen=True, tag="tool_result", kw_only=True):
    call_id: CallName
    result: LongText
    tool: CallName = ""
    is_error: bool = False


class ImportedFile(Imported, frozen=True, tag="file", kw_only=True):
    """A file that was uploaded before."""

    file_id: UUID


AnyImportedPart = ImportedText | ImportedReasoning | ImportedCall | ImportedResult | ImportedFile


class ImportedMessage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    key: MessageKey
    """What the source calls it: the same again when it is sent again."""
    role: Role
    parts: Annotated[tuple[AnyImportedPart, ...], Meta(min_length=1, max_length=1_000)]
    created_at: datetime | None = None
    model: Annotated[str, Meta(max_length=200, pattern=LINE)] = ""
    """Which model answered. It need not be known here."""


class ImportBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    source: SourceName
    """Which program the chat is from, such as `codex`."""
    source_id: SourceId
    """What the program calls the chat."""
    messages: Annotated[tuple[ImportedMessage, ...], Meta(min_length=1, max_length=MOST_MESSAGES)]
    after: MessageKey | None = None
    """The message that they follow; without it they begin the chat."""
    title: Annotated[str, Meta(max_length=200, pattern=LINE)] = ""
    labels: Labels = {}


class ImportQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: SourceName
    source_id: SourceId


class ImportState(Struct, frozen=True, kw_only=True):
    """What a chat of another program is here."""

    chat_id: ChatId | None
    deleted: bool
    """Whether somebody deleted it here. It stays deleted."""
    live: tuple[str, ...]
    """Its messages in the history, in their order, as the source calls them."""
    hidden: tuple[str, ...]
    """Those of other versions."""


class ImportResult(Struct, frozen=True, kw_only=True):
    chat_id: ChatId | None
    outcome: Outcome
    added: int
