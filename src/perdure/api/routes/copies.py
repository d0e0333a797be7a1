"""What is made of a whole chat: forks, branches, exports, costs; and its end."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import quote
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct, structs

from perdure.access.actor import record
from perdure.api.caller import Caller
from perdure.api.forked_workspaces import forked_workspace
from perdure.api.http import Answer
from perdure.api.routes.chats import created
from perdure.api.routing import Routes
from perdure.api.wire.chats import Created
from perdure.api.wire.extras import Branch, Branches, Cost, CostLine, ExportFormat, ExportQuery, ForkBody
from perdure.core.card import NewCard
from perdure.core.errors import InvalidInput, MessageNotFound, Refused, Validation
from perdure.core.events import ChatCard
from perdure.core.ids import ChatId, FileId, MessageNumber, UserId, WorkspaceId
from perdure.core.message import (
    AnyPart,
    File,
    FileReference,
    Message,
    NewMessage,
    NoticePart,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from perdure.core.public import public_message
from perdure.machine.transitions import Create
from perdure.store.tables import chats, messages
from perdure.store.tables.cards import CardRow


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


_SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Agent", Role.TOOL: "Tool"}


class Export(Struct, frozen=True):
    chat: ChatCard
    messages: tuple[Message, ...]


def as_json(card: ChatCard, messages: Sequence[Message]) -> Answer:
    return Answer.json(200, Export(card, tuple(messages)), _attached(card, "json"))


def as_markdown(card: ChatCard, messages: Sequence[Message]) -> Answer:
    several = len(_people(messages)) > 1
    sections = [f"# {card.title}", *(_section(message, several=several) for message in messages)]
    text = "\n\n".join(section for section in sections if section) + "\n"
    return Answer(200, text.encode(), (("content-type", "text/markdown; charset=utf-8"), _attached(card, "md")))


def _people(messages: Sequence[Message]) -> set[UserId | None]:
    """Those who wrote something, or decided about a call."""
    wrote = {message.created_by for message in messages if message.role is Role.USER}
    parts = (part for message in messages for part in message.parts if isinstance(part, ToolResult))
    return wrote | {each.id for part in parts for each in part.decided_by}


def _attached(card: ChatCard, ending: str) -> tuple[str, str]:
    name = quote(f"{card.title[:60]}.{ending}", safe="")
    return "content-disposition", f"attachment; filename*=UTF-8''{name}"


def _section(message: Message, *, several: bool) -> str:
    parts = [text for part in message.parts if (text := _part(part, several=several))]
    if not parts:
        return ""
    speaker = _SPEAKERS.get(message.role, "System")
    if several and message.role is Role.USER:
        speaker = message.author or "Somebody"
    return "\n\n".join((f"## {speaker}, {message.created_at:%Y-%m-%d %H:%M} UTC", *parts))


def _part(part: AnyPart, *, several: bool) -> str:
    match part:
        case Text(text=text):
            return text.strip()
        case Reasoning(text=text):
            return "\n".join(f"> {line}" for line in text.strip().splitlines())
        case ToolCall():
            return f"**{part.tool}**\n\n{_fenced(part.args, 'json')}"
        case ToolResult():
            decided = (
                f", decided by {', '.join(each.name for each in part.decided_by)}"
                if several and part.decided_by
                else ""
            )
            return f"**{part.tool}**{' failed' if part.is_error else ''}{decided}\n\n{_fenced(part.result)}"
        case Source():
            return f"[{part.title or part.url}]({part.url})"
        case File():
            return f"*File: {part.name}*"
        case FileReference():
            return f"*{part.file_name}, lines {part.start_line} to {part.end_line}*\n\n{_fenced(part.content)}"
        case NoticePart(text=text):
            return f"*{text}*"


def _fenced(text: str, language: str = "") -> str:
    """The text in a fence that is longer than any inside it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


routes = Routes("chats")


@routes.post("/chats/{chat_id}/fork", status=201, by_machine=True)
async def fork(caller: Caller, chat_id: ChatId, body: ForkBody) -> Created:
    """Create a chat with the history up to a message, and a copy of the workspace's files. With content it runs,
    without it is idle.
    """
    seen = await caller.chats.own(chat_id)
    history = await messages.whole(caller.rows, chat_id, body.after)
    if not history or history[-1].number != body.after:
        raise MessageNotFound
    said = None if body.content is None else await caller.said(body.content)
    model = await caller.model(body.model)
    kept = copied(history)
    if said is not None:
        await caller.answerable(model, seen.card.model)
        said = await caller.submitted(said, chat_id, begins="fork")
        new = said.message_of(caller.actor, model=model, effort=body.effort, client_id=body.client_id)
        kept = (*kept, new)
    attached, made = files_in(history)
    attached |= dict.fromkeys(file for file in (said.files if said else ()) if file not in made)
    create = Create(kept, runs=said is not None, files=tuple(attached), made_files=tuple(made))
    async with forked_workspace(caller, seen, body) as workspace_id:
        card = _forked_card(caller, seen.row, workspace_id)
        return await caller.changes.create(
            ChatId(uuid4()), card, create, answer=lambda commit: created(caller, card, commit, said=said is not None)
        )


@routes.get("/chats/{chat_id}/branches")
async def list_branches(caller: Caller, chat_id: ChatId) -> Branches:
    """What edits replaced, newest first. To continue from a branch, fork."""
    await caller.chats.read(chat_id)
    cuts = groupby(await messages.hidden(caller.rows, chat_id), key=lambda hidden: hidden.hidden_in)
    return Branches(tuple(_branch(snapshot, [hidden.message for hidden in cut]) for snapshot, cut in cuts))


@routes.get("/chats/{chat_id}/export", raw=("application/json", "text/markdown"))
async def export_chat(caller: Caller, chat_id: ChatId, query: ExportQuery) -> Answer:
    """The whole chat as people see it, as JSON or as Markdown."""
    seen = await caller.chats.read(chat_id)
    visible = [public_message(message) for message in await messages.visible(caller.rows, chat_id)]
    if query.format is ExportFormat.MARKDOWN:
        return as_markdown(seen.card, visible)
    return as_json(seen.card, visible)


@routes.get("/chats/{chat_id}/cost")
async def read_cost(caller: Caller, chat_id: ChatId) -> Cost:
    """What the chat and its children cost, by model."""
    await caller.chats.read(chat_id)
    rows = await messages.cost(caller.rows, chat_id)
    lines = tuple(msgspec.convert(row, CostLine, from_attributes=True) for row in rows)
    unpriced = sum(line.unpriced_calls for line in lines)
    return Cost(cost=sum(line.cost for line in lines), unpriced_calls=unpriced, items=lines)


@routes.delete("/chats/{chat_id}")
async def delete_chat(caller: Caller, chat_id: ChatId) -> None:
    """Delete an archived chat and its children permanently."""
    seen = await caller.chats.own(chat_id)
    if seen.row.parent_id is not None:
        raise InvalidInput("Only a top-level chat can be deleted.", Validation("chat_id", "is a child"))
    gone = await chats.delete(caller.rows, chat_id)
    if not gone:
        raise Refused("Archive the chat before you delete it.")
    await record(caller.rows, "chat.delete", chat_id, title=seen.card.title, chats=len(gone))
    caller.announcements.chat_deleted(chat_id)


def _forked_card(caller: Caller, row: CardRow, workspace_id: WorkspaceId | None) -> NewCard:
    return NewCard(
        organisation_id=caller.actor.organisation_id,
        owner_id=caller.actor.user_id,
        title=row.title,
        title_source=row.title_source,
        source=caller.source,
        labels=row.labels,
        model=row.model,
        effort=row.effort,
        plan_mode=row.plan_mode,
        workspace_id=workspace_id,
        client_tools=row.client_tools,
        client_tool_deadline=row.client_tool_deadline,
        settings=row.settings,
    )


def _branch(snapshot: int, hidden: list[Message]) -> Branch:
    after = MessageNumber(min(message.number for message in hidden) - 1)
    return Branch(snapshot=snapshot, after=after, messages=tuple(public_message(message) for message in hidden))
