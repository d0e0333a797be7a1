"""Messages: read a page, say something, say it differently."""

from msgspec import structs

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.chat_workspaces import files_back
from perdure.api.routing import Routes
from perdure.api.wire.chats import (
    EditBody,
    Matches,
    MatchesQuery,
    MessagePage,
    MessagesQuery,
    Prompts,
    PromptsQuery,
    PromptText,
    SendBody,
    Sent,
)
from perdure.core.action import ActionKind
from perdure.core.card import CardChange
from perdure.core.chat import Busy
from perdure.core.commit import Commit, Mentions
from perdure.core.errors import InvalidInput, KeyTaken, NotAllowed, NotFound, Refused, Validation
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import NewMessage, Role
from perdure.core.public import public_message, public_queued, shown_text, visible
from perdure.machine.committer import Outdated
from perdure.machine.transitions import Chosen, EditMessage, SendMessage, Sharing, Target
from perdure.store.rows import parts_of

routes = Routes("messages")

# More than anybody steps through.
MOST_MATCHES = 2_000
MENTION_LENGTH = 200


@routes.get("/chats/{chat_id}/messages")
async def list_messages(caller: Caller, chat_id: ChatId, query: MessagesQuery) -> MessagePage:
    """A page of the history. Without a cursor or with `before`: newest first; with `after` alone: oldest first."""
    if query.before is not None and query.after is not None and query.after >= query.before:
        raise InvalidInput("There is nothing between these positions.", Validation("after", "must be less than before"))
    seen = await caller.chats.read(chat_id)
    if query.after is not None and query.before is None:
        messages = await caller.chats.oldest(chat_id, after=query.after, limit=query.limit)
    else:
        messages = await caller.chats.newest(chat_id, before=query.before, after=query.after, limit=query.limit)
    whole = query.before is None and query.after is None
    return MessagePage(
        items=tuple(public_message(message) for message in messages),
        queue=await caller.chats.queue(seen) if whole else None,
        cursor=seen.cursor_after(seen.chat),
    )


@routes.post("/chats/{chat_id}/messages", status=202, by_machine=True)
async def send_message(caller: Caller, chat_id: ChatId, body: SendBody) -> Sent:
    """Send a message. An idle chat starts on it at once; a busy one queues it, is steered or interrupted by it."""
    known = None if await caller.hooked() else caller.chats.known(chat_id)
    if known is not None:
        try:
            return await _send(caller, known, body)
        except KeyTaken:
            raise
        except (Outdated, Refused, NotFound):
            # Only what the database says now is an answer.
            pass
    return await _send(caller, await caller.chats.to_write_in(chat_id), body)


async def _send(caller: Caller, seen: Seen, body: SendBody) -> Sent:
    chat_id = seen.chat.id
    said, model = await caller.said(body.content, chat_id), await caller.model(body.model)
    await caller.answerable(model, seen.card.model)
    message = said.message_of(caller.actor, model=model, effort=body.effort, client_id=body.client_id)
    turn = None if body.turn is None else MessageNumber(body.turn)
    known = await caller.services.waits.known(seen.chat) if body.busy is Busy.STEER else None
    card = CardChange() if body.plan_mode in (None, seen.card.plan_mode) else CardChange(plan_mode=body.plan_mode)
    chosen = Chosen(seen.card.model or await caller.default_model(), seen.card.effort)
    send = SendMessage(
        message,
        busy=body.busy,
        turn=turn,
        files=said.files,
        known=known,
        card=card,
        chosen=chosen,
        mentions=_mentions(caller, body, message),
    )
    if await caller.hooked():
        # Nobody is asked about what the chat would not take.
        caller.changes.allowed(seen, send)
        left = (await caller.submitted(said, chat_id)).parts
        send = structs.replace(send, message=structs.replace(message, parts=left))
    answer = await caller.changes.follow(seen, send, answer=lambda commit: sent(seen, commit))
    if body.busy is Busy.INTERRUPT and waits_for_agents(seen):
        # A chat at work is interrupted by its runner, and they with it; one that waits for them has none.
        await caller.services.family.stop_all(chat_id)
    return answer


@routes.put("/chats/{chat_id}/messages/{number}", status=202, by_machine=True)
async def edit_message(caller: Caller, chat_id: ChatId, number: MessageNumber, body: EditBody) -> Sent:
    """Edit a message: it replaces the message and everything after it. Files can go back to before it, too."""
    seen = await caller.chats.shared(chat_id)
    said, model = await caller.said(body.content, chat_id), await caller.model(body.model)
    await caller.answerable(model, seen.card.model)
    if await _editable(caller, seen, number):
        said = await caller.submitted(said, chat_id)

    def edit(target: Target) -> EditMessage:
        message = NewMessage(
            role=Role.USER,
            parts=said.parts,
            visibility=target.visibility,
            created_by=caller.actor.user_id,
            author=caller.actor.name or None,
            model=model or target.model,
            effort=body.effort or target.effort,
            client_id=body.client_id,
        )
        return EditMessage(target, message, files=said.files, shared=_sharing(seen, target))

    async with files_back(caller, seen, number, body):
        answer = await caller.changes.edit(seen, number, edit, answer=lambda commit: sent(seen, commit))
    # What they were asked for is not part of the chat any more.
    await caller.services.family.stop_all(chat_id)
    return answer


@routes.get("/chats/{chat_id}/matches")
async def find_messages(caller: Caller, chat_id: ChatId, query: MatchesQuery) -> Matches:
    """Find the messages of a chat that contain a text: in messages, reasoning and tool calls."""
    await caller.chats.read(chat_id)
    return Matches(tuple(await caller.chats.matching(chat_id, query.q, MOST_MATCHES)))


@routes.get("/chats/{chat_id}/prompts")
async def list_prompts(caller: Caller, chat_id: ChatId, query: PromptsQuery) -> Prompts:
    """The messages sent to the agent in this chat, newest first."""
    await caller.chats.read(chat_id)
    rows = await caller.chats.prompts(chat_id, query.limit)
    return Prompts(tuple(PromptText(row.number, shown_text(parts_of(row.parts)), row.created_at) for row in rows))


def _sharing(seen: Seen, target: Target) -> Sharing | None:
    """What an edit leaves alone where others write, too. Whoever is not the owner changes only what is their own."""
    editor = seen.actor.user_id
    if not seen.own and target.authors - {editor}:
        raise NotAllowed("Somebody else has written since, or this message is not yours. Send a new message instead.")
    if not seen.row.shared and target.authors <= {editor, None}:
        return None
    return Sharing(target.versions, frozenset(target.waiting.get(editor, ())))


async def _editable(caller: Caller, seen: Seen, number: MessageNumber) -> bool:
    """Whether there is such a message of a user. Raises where the chat takes no edits now."""
    found = await caller.chats.newest(seen.chat.id, before=number + 1, after=None, limit=1)
    message = next((each for each in found if each.number == number and each.role is Role.USER), None)
    if message is None:
        return False
    target = Target(number=number, visibility=message.visibility, model=None, effort=None)
    caller.changes.allowed(seen, EditMessage(target, message))
    return True


def _mentions(caller: Caller, body: SendBody, message: NewMessage) -> Mentions | None:
    named = tuple(dict.fromkeys(user for user in body.mentions if user != caller.actor.user_id))
    said = " ".join(shown_text(message.parts).split())[:MENTION_LENGTH]
    return Mentions(named, f"{caller.actor.name}: {said}") if named else None


def waits_for_agents(seen: Seen) -> bool:
    return seen.chat.action is not None and seen.chat.action.kind is ActionKind.CHILDREN


def sent(seen: Seen, commit: Commit) -> Sent:
    """Where the message went."""
    said = [message for message in commit.messages if message.role is Role.USER and visible(message)]
    queued = commit.queued
    return Sent(
        chat=seen.card_after(commit),
        message=public_message(said[-1]) if said and not queued else None,
        queued=public_queued(queued[-1]) if queued else None,
    )
