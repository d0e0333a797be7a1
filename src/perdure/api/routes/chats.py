"""Chats: list, create, read, describe."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import msgspec
from msgspec import UNSET, structs

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.chat_workspaces import own_workspace, workspace_for
from perdure.api.listing import Search, next_cursor, next_passed, passed_of, position_of, search_of
from perdure.api.routing import Routes
from perdure.api.submission import Said
from perdure.api.wire.chats import (
    ChatPage,
    ChatView,
    Children,
    ClientTool,
    CreateBody,
    Created,
    ListedCard,
    ListQuery,
    Moved,
    PatchBody,
)
from perdure.api.wire.options import given
from perdure.config.settings import check_length
from perdure.core.card import ChatSettings, NewCard
from perdure.core.commit import Commit
from perdure.core.cursor import Cursor
from perdure.core.errors import InvalidInput, NotRoot, Validation
from perdure.core.events import ChatCard
from perdure.core.ids import ChatId, ModelName, WorkspaceId
from perdure.core.message import Effort, NewMessage, NoticePart, Role, Text, Visibility
from perdure.core.public import public_message
from perdure.core.text import storable
from perdure.machine.transitions import Create
from perdure.store.tables.chats import NO_WORKSPACE, Description, Listing, Searching
from perdure.tools.arguments import UnusableSchema, usable, validator_of
from perdure.tools.family import AgentType
from perdure.tools.reserved import RESERVED_NAMES

routes = Routes("chats")

TITLE_WORDS, TITLE_LENGTH = 6, 80


@routes.get("/chats")
async def list_chats(caller: Caller, query: ListQuery) -> ChatPage:
    """The chats that you can read: pinned first, then the newest; with `q` those that match, best first."""
    search = search_of(query)
    if search.needs_words:
        return await _found(caller, search, query)
    pin, age, last = position_of(query.cursor) or (None, None, None)
    listing = Listing(
        archived=search.archived,
        shared=search.shared,
        unread=search.unread,
        labels=search.labels,
        title=search.title,
        source=search.source,
        after_pin=pin,
        after_age=age,
        after_id=last,
        limit=query.limit,
    )
    seen = await caller.chats.page(listing)
    return await _page(caller, seen, next_cursor(seen, query.limit))


async def _found(caller: Caller, search: Search, query: ListQuery) -> ChatPage:
    passed = passed_of(query.cursor)
    searching = Searching(
        words=search.words,
        archived=search.archived,
        shared=search.shared,
        unread=search.unread,
        labels=search.labels,
        title=search.title,
        source=search.source,
        repository=search.repo,
        pull_request=search.pr,
        passed=passed,
        limit=query.limit,
    )
    seen = await caller.chats.search(searching)
    return await _page(caller, seen, next_passed(len(seen), passed, query.limit))


async def _page(caller: Caller, seen: list[Seen], next_cursor: str | None) -> ChatPage:
    related = await caller.chats.related([chat.chat.id for chat in seen])
    return ChatPage(
        items=tuple(ListedCard(**structs.asdict(chat.card), snippet=chat.snippet, match=chat.match) for chat in seen),
        related=tuple(chat.card for chat in related),
        next_cursor=next_cursor,
    )


@routes.post("/chats", status=201, by_machine=True)
async def create_chat(caller: Caller, body: CreateBody) -> Created:
    """Start a chat with a message. The agent starts on it at once."""
    return await begin_chat(caller, body)


async def begin_chat(
    caller: Caller, body: CreateBody, *, chat_id: ChatId | None = None, history: tuple[NewMessage, ...] = ()
) -> Created:
    """Begin a chat, with what was said elsewhere before."""
    said = await caller.said(body.content)
    model = await caller.model(body.model)
    await caller.answerable(model)
    settings, title = await _chosen(caller, body), named(body.title) if body.title else ""
    system = await _system_rows(caller, body)
    if body.workspace is None:
        await own_workspace(caller, body.workspace_id)
    said = await caller.submitted(said, None, begins="create")
    message = said.message_of(caller.actor, model=model, effort=body.effort, client_id=body.client_id)
    async with workspace_for(caller, body.workspace, body.workspace_id) as workspace_id:
        card = replace(_new_card(caller, body, workspace_id), settings=settings, **titled(title, said))
        create = Create((*system, *history, message), files=said.files, budget_limit=body.budget_limit)
        return await caller.changes.create(
            chat_id or ChatId(uuid4()), card, create, answer=lambda commit: created(caller, card, commit)
        )


@routes.get("/chats/{chat_id}")
async def read_chat(caller: Caller, chat_id: ChatId) -> ChatView:
    """A chat, its queue, what it asks for, and the cursor where a stream continues."""
    seen = await caller.chats.read(chat_id)
    return ChatView(
        chat=seen.card,
        queue=await caller.chats.queue(seen),
        action=await caller.chats.action(seen),
        retry=seen.chat.retry_state,
        error=seen.chat.last_error,
        settings=_settings(seen),
        cursor=seen.cursor_after(seen.chat),
    )


@routes.patch("/chats/{chat_id}", apart=True)
async def describe_chat(caller: Caller, chat_id: ChatId, body: PatchBody) -> Moved:
    """Rename, label, pin, archive, mark as read, choose model, effort and tools. Fields left out stay the same."""
    description = await _description(caller, body)
    if not description.empty or body.archived is not UNSET:
        await _change(caller, chat_id, body, description)
    if body.read is not UNSET:
        if await caller.chats.mark_read(await caller.chats.read(chat_id), body.read):
            caller.announcements.inbox_changed()
        caller.announcements.chat_read(chat_id)
    return Moved((await caller.chats.read(chat_id)).card)


async def _change(caller: Caller, chat_id: ChatId, body: PatchBody, description: Description) -> None:
    """All of it or nothing: what can be refused is asked first, and archiving is refused while a chat works."""
    seen = await caller.chats.own(chat_id)
    if description.pin and seen.row.parent_id is not None:
        raise InvalidInput("Only a top-level chat can be pinned.", Validation("pin", "this chat is a child"))
    _check_selection(seen, body)
    if body.archived is not UNSET and body.archived != seen.chat.archived:
        await _archive(caller, seen, body.archived)
        description = structs.replace(description, pin=None) if body.archived else description
    if not description.empty:
        caller.announcements.card_changed(chat_id, await caller.chats.describe(seen, description))


@routes.get("/chats/{chat_id}/children")
async def list_children(caller: Caller, chat_id: ChatId) -> Children:
    """The chats that this chat's agent started."""
    await caller.chats.read(chat_id)
    return Children(tuple(seen.card for seen in await caller.chats.children(chat_id)))


def _check_selection(seen: Seen, body: PatchBody) -> None:
    """An agent that explores keeps the MCP servers that its parent had; it may lose some and gain none."""
    if seen.row.agent_type != AgentType.EXPLORE or body.mcp_servers is UNSET:
        return
    chosen = _settings(seen).mcp_servers
    if not set(body.mcp_servers or ()) <= set(chosen or ()):
        raise InvalidInput("An explore agent cannot get more MCP servers.", Validation("mcp_servers", "has new ones"))


async def _check_servers(caller: Caller, chosen: tuple[str, ...]) -> None:
    """A name that no server has would choose nothing, and nobody would notice."""
    known = [server.slug for server in (await caller.config.of(caller.actor.organisation_id)).mcp_servers]
    wrong = [
        Validation(f"mcp_servers[{index}]", "no MCP server has this name")
        for index, name in enumerate(chosen)
        if name not in known
    ]
    if wrong:
        raise InvalidInput(f"The MCP servers are: {', '.join(known) or 'none'}.", *wrong)


async def _archive(caller: Caller, seen: Seen, archived: bool) -> None:
    if seen.row.parent_id is not None:
        raise NotRoot
    await caller.services.machine.archive_family(seen.chat.id, archived=archived)


async def _system_rows(caller: Caller, body: CreateBody) -> tuple[NewMessage, ...]:
    """What the model is told before everything else, frozen as it is now."""
    check_length(body.system_prompt or "", "system_prompt")
    settings = await caller.config.settings(caller.actor.organisation_id)
    prompts = (settings.system_prompt, body.system_prompt or "")
    return tuple(
        NewMessage(role=Role.SYSTEM, parts=(Text(prompt),), visibility=Visibility.MODEL)
        for prompt in prompts
        if prompt.strip()
    )


def titled(title: str, said: Said) -> dict[str, str]:
    """The title that was given, or the first words that were said, until there are better ones."""
    if title:
        return {"title": storable(title), "title_source": "named"}
    return {"title": fallback_title(said), "title_source": "fallback"}


def named(title: str) -> str:
    """A title without the blanks around it."""
    if not title.strip():
        raise InvalidInput("The title is empty.", Validation("title", "must not be blank"))
    return title.strip()


def _new_card(caller: Caller, body: CreateBody, workspace_id: WorkspaceId | None) -> NewCard:
    deadline = body.client_tool_deadline_s
    return NewCard(
        organisation_id=caller.actor.organisation_id,
        owner_id=caller.actor.user_id,
        title="",
        source=caller.source,
        labels=msgspec.json.encode(body.labels).decode(),
        model=body.model,
        effort=body.effort,
        plan_mode=body.plan_mode,
        workspace_id=workspace_id,
        client_tools=_tools(body.client_tools),
        client_tool_deadline=timedelta(seconds=deadline) if deadline else None,
    )


def fallback_title(said: Said) -> str:
    """The first words of what was said, as it is shown to people."""
    seen = (part for part in said.parts if not isinstance(part, NoticePart) and not getattr(part, "model_only", False))
    texts = (getattr(part, "text", "") or getattr(part, "name", "") for part in seen)
    words = " ".join(texts).split()[:TITLE_WORDS]
    return storable(" ".join(words))[:TITLE_LENGTH].strip(" ,;:-") or "New chat"


def created(caller: Caller, card: NewCard, commit: Commit, *, said: bool = True) -> Created:
    """A new chat, and what was said first in it."""
    chat = commit.chat
    assert chat.updated_at is not None
    return Created(
        chat=ChatCard(
            id=chat.id,
            owner_id=caller.actor.user_id,
            title=card.title,
            source=card.source,
            status=chat.status,
            created_at=chat.updated_at,
            updated_at=chat.updated_at,
            model=ModelName(card.model) if card.model else None,
            effort=Effort(card.effort) if card.effort else None,
            plan_mode=card.plan_mode,
            labels=msgspec.json.decode(card.labels),
            workspace_id=card.workspace_id,
        ),
        message=public_message(commit.messages[-1]) if said else None,
        cursor=str(Cursor.of(chat, 1, line=commit.line)),
    )


def _settings(seen: Seen) -> ChatSettings:
    return msgspec.json.decode(seen.row.settings, type=ChatSettings)


async def _chosen(caller: Caller, body: CreateBody | PatchBody) -> str:
    """What is chosen for this chat alone, as it is stored."""
    names = ("mcp_servers", "approvals", "web_search", "approvers")
    chosen = {name: getattr(body, name) for name in names if getattr(body, name) is not UNSET}
    if body.mcp_servers is not UNSET:
        await _check_servers(caller, body.mcp_servers)
    return msgspec.json.encode(chosen).decode()


async def _description(caller: Caller, body: PatchBody) -> Description:
    if body.model is not UNSET:
        await caller.model(body.model)
    settings = await _chosen(caller, body)
    return Description(
        title=None if body.title is UNSET else named(body.title),
        labels=None if body.labels is UNSET else msgspec.json.encode(body.labels).decode(),
        plan_mode=given(body.plan_mode),
        model=None if body.model is UNSET else body.model or "",
        effort=None if body.effort is UNSET else body.effort or "",
        workspace_id=NO_WORKSPACE
        if body.workspace_id is None
        else await own_workspace(caller, given(body.workspace_id)),
        pin=given(body.pin),
        client_tools=None if body.client_tools is UNSET else _tools(body.client_tools),
        settings=None if settings == "{}" else settings,
    )


def _tools(tools: tuple[ClientTool, ...]) -> str:
    """The tools as they are stored. Names are unique, schemas are schemas."""
    wrong = [
        Validation(f"client_tools[{index}].{field}", detail)
        for index, tool in enumerate(tools)
        for field, detail in _tool_problems(tool, tools[:index])
    ]
    if wrong:
        raise InvalidInput("The tools are not valid.", *wrong)
    return msgspec.json.encode(tools).decode()


def _tool_problems(tool: ClientTool, earlier: tuple[ClientTool, ...]) -> list[tuple[str, str]]:
    problems: list[tuple[str, str]] = []
    if any(other.name == tool.name for other in earlier):
        problems.append(("name", "is there twice"))
    if tool.name in RESERVED_NAMES:
        problems.append(("name", "is the name of a tool that ships: choose another"))
    try:
        usable(tool.schema)
        validator_of(tool.schema)
    except UnusableSchema as error:
        problems.append(("schema", str(error)))
    except ValueError:
        problems.append(("schema", "is not a JSON schema"))
    return problems
