"""Sessions of an editor, each a chat: what the Agent Client Protocol asks, put to a server."""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

from perdure.cli.editor_decisions import EditorDecisions
from perdure.cli.json_lines import JsonLines
from perdure.client import ApiError, Client
from perdure.client.chats import Chat
from perdure.core.chat import Status
from perdure.core.deltas import ToolResultDelta
from perdure.core.errors import InvalidInput, NotFound, PerdureError, Validation
from perdure.core.events import (
    ActionRequired,
    MessageEvent,
    MessagePart,
    PendingAction,
    PreviewReset,
)
from perdure.core.message import AnyPart, File, Message, Text
from perdure.faces.acp.questions import answered_form, question_form, questions_in
from perdure.faces.acp.updates import Running, history_of, text_block, updates_of
from perdure.faces.turn import Outcome, TurnLog, outcome_after

PROTOCOL_VERSION = 1
LABEL = "editor"
"""The label of a chat that an editor began: the name that the session has there."""
_STOPPED = {
    Outcome.COMPLETED: "end_turn",
    Outcome.LENGTH: "max_tokens",
    Outcome.FILTERED: "refusal",
    Outcome.STOPPED: "cancelled",
}
_PAGE = 200
_MODES = {"work": "Work", "plan": "Plan"}


@dataclass(slots=True)
class Session:
    """What an editor has open. Without a chat until something is said."""

    id: str
    chat: Chat | None = None
    plans: bool = False
    model: str | None = None
    """What its next messages are answered by, where somebody chose."""
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What the turn's newest answer asks the person."""
    following: "asyncio.Task[None] | None" = None
    deciding: "asyncio.Task[None] | None" = None
    """Waits for what the editor's person decides."""
    asks: tuple[object, ...] | None = None
    """What that is about."""


class EditorSessions:
    """Serves one editor. Everything that must last is in the chats."""

    def __init__(self, client: Client, lines: JsonLines, model: str | None = None) -> None:
        self._client = client
        self._lines = lines
        self._model = model
        self._sessions: dict[str, Session] = {}
        self._decisions = EditorDecisions(lines)
        lines.handlers |= {
            "initialize": self._initialize,
            "authenticate": self._nothing,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/list": self._list,
            "session/prompt": self._prompt,
            "session/cancel": self._cancel,
            "session/set_mode": self._set_mode,
            "session/set_config_option": self._set_option,
            "session/close": self._close,
        }

    async def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        match params.get("clientCapabilities"):
            case {"elicitation": {"form": dict()}}:
                self._decisions.shows_forms = True
            case _:
                pass
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"embeddedContext": True, "image": True},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
            },
            "authMethods": [],
        }

    async def _nothing(self, _: dict[str, Any]) -> dict[str, Any]:
        return {}

    async def _new(self, _: dict[str, Any]) -> dict[str, Any]:
        session = Session(str(uuid4()))
        self._sessions[session.id] = session
        return {"sessionId": session.id, **await self._choices(session)}

    async def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        """Show all that was said, and go on showing what is being answered."""
        session = await self._opened(params["sessionId"])
        assert session.chat is not None
        said = await _history(session.chat)
        for update in history_of(said):
            self._update(session, update)
        self._catch_up(session, said)
        return await self._choices(session)

    async def _resume(self, params: dict[str, Any]) -> dict[str, Any]:
        return await self._choices(await self._opened(params["sessionId"]))

    async def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        page = await self._client.chats.list(cursor=params.get("cursor"))
        sessions = [
            {
                "sessionId": card.labels.get(LABEL, str(card.id)),
                "cwd": params.get("cwd") or "/",
                "title": card.title,
                "updatedAt": card.updated_at.isoformat(),
            }
            for card in page.items
        ]
        return {"sessions": sessions, "nextCursor": page.next_cursor}

    async def _set_mode(self, params: dict[str, Any]) -> dict[str, Any]:
        self._session(params).plans = params.get("modeId") == "plan"
        return {}

    async def _set_option(self, params: dict[str, Any]) -> dict[str, Any]:
        session, value = self._session(params), params.get("value")
        match params.get("configId"):
            case "model" if value in {model["name"] for model in await self._client.models()}:
                session.model = value
            case "mode" if value in _MODES:
                session.plans = value == "plan"
            case _:
                raise InvalidInput("Unknown choice.", Validation("value", "is not known"))
        return {"configOptions": (await self._choices(session))["configOptions"]}

    async def _choices(self, session: Session) -> dict[str, Any]:
        """What a person may choose for a session: how it works, and what answers."""
        chosen = session.model or (session.chat.card.model if session.chat else None) or self._model
        models = [model for model in await self._client.models() if model.get("enabled")]
        models.sort(key=lambda model: not model.get("default"))
        names = {str(model["name"]): str(model["display_name"]) for model in models}
        options = [_option("mode", "Mode", "plan" if session.plans else "work", _MODES)]
        if names:
            options.append(_option("model", "Model", chosen if chosen in names else next(iter(names)), names))
        return {"modes": _modes(plans=session.plans), "configOptions": options}

    async def _close(self, params: dict[str, Any]) -> dict[str, Any]:
        """Nothing more is shown of it. Its turn is stopped, as the protocol has it; the chat stays."""
        await self._cancel(params)
        session = self._sessions.pop(params["sessionId"])
        if session.following is not None:
            session.following.cancel()
        return {}

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        session = self._session(params)
        said = await self._said(params.get("prompt") or ())
        if session.following is not None:
            session.following.cancel()
        while True:
            reason, asked = await self._answered(session, said)
            if not asked or not (answer := await self._elicited(session, asked)):
                return {"stopReason": reason}
            # What the agent asked is answered: it goes on, still for the same prompt.
            self._update(session, {"sessionUpdate": "user_message_chunk", "content": text_block(answer)})
            said = [Text(answer)]

    async def _answered(self, session: Session, said: Sequence[AnyPart]) -> tuple[str, list[dict[str, Any]]]:
        """Why the turn that answers came to its end, and what it asks the person with it."""
        mark, model = str(uuid4()), session.model or (None if session.chat else self._model)
        options: dict[str, Any] = {"client_id": mark, "plan_mode": session.plans}
        if model is not None:
            options["model"] = model
        if session.chat is None:
            session.chat = await self._client.chats.create(said, labels={LABEL: session.id}, **options)
        else:
            await session.chat.send(said, **options)
        session.asked = []
        return await self._followed(session, session.chat, mark), session.asked

    async def _elicited(self, session: Session, asked: Sequence[dict[str, Any]]) -> str:
        """What the person answers to the agent's questions, in the editor's form; nothing where it shows none."""
        if not self._decisions.shows_forms:
            return ""
        form = {"mode": "form", "message": "The agent asks.", "requestedSchema": question_form(asked)}
        answer: dict[str, Any] = await self._lines.ask("elicitation/create", {"sessionId": session.id, **form}) or {}
        return answered_form(asked, answer.get("content") or {}) if answer.get("action") == "accept" else ""

    async def _said(self, prompt: Sequence[dict[str, Any]]) -> list[AnyPart]:
        """What the editor sends, as one text and the images with it."""
        images = [block for block in prompt if block.get("type") == "image"]
        text = "\n\n".join(filter(None, (_block(block) for block in prompt if block.get("type") != "image")))
        if not text.strip() and not images:
            raise InvalidInput("There is no message to answer.", Validation("prompt", "is empty"))
        said: list[AnyPart] = [Text(text)] if text.strip() else []
        return [*said, *[await self._kept(image) for image in images]]

    async def _kept(self, image: dict[str, Any]) -> File:
        try:
            content = base64.b64decode(image["data"], validate=True)
        except (KeyError, TypeError, ValueError):
            raise InvalidInput("The image is not base64.", Validation("prompt", "image")) from None
        kind = str(image.get("mimeType") or "image/png")
        return await self._client.upload(f"image.{kind.rpartition('/')[2]}", content, media_type=kind)

    async def _cancel(self, params: dict[str, Any]) -> None:
        chat = self._session(params).chat
        if chat is None:
            return
        try:
            await chat.interrupt()
        except ApiError as error:
            # It came to rest by itself.
            if error.status != HTTPStatus.CONFLICT:
                raise

    async def _followed(self, session: Session, chat: Chat, mark: str | None, log: TurnLog | None = None) -> str:
        """Show the turn that answers the message with this mark, or what a log does not know yet; why it ended."""
        stream, running = chat.stream(), Running()
        events = aiter(stream)
        try:
            async for event in events:
                match event:
                    case MessageEvent(message=message) if log is None and message.client_id == mark:
                        log = TurnLog(message.number)
                    case MessageEvent(message=message) if log is not None:
                        self._show(session, log, message)
                    case MessagePart(part=part) if log is not None:
                        self._all(session, updates_of(log.arrived(part)))
                        if isinstance(part, ToolResultDelta) and (printed := running.update(part)):
                            self._update(session, printed)
                    case PreviewReset() if log is not None:
                        log.forget()
                    case ActionRequired(action=action) if log is not None:
                        self._asks(session, chat, action)
                    case _:
                        pass
                told = stream.transcript
                if log is not None and told.status is Status.ERROR and told.error is not None:
                    raise PerdureError(told.error.message)
                if log is not None and told.status is Status.WAITING:
                    return _STOPPED.get(outcome_after(log.last), "end_turn")
        finally:
            self._asks(session, chat, None)
            await events.aclose()
        raise PerdureError("The server ended the stream.")

    def _asks(self, session: Session, chat: Chat, action: PendingAction | None) -> None:
        """Ask the editor what is to be decided, and no longer what somebody has decided elsewhere."""
        about = None if action is None else (action.kind, action.limit, *(call.call_id for call in action.calls))
        if about == session.asks:
            # A part of it was decided: the rest is being asked about.
            return
        if session.deciding is not None:
            session.deciding.cancel()
        session.asks = about
        session.deciding = None if action is None else asyncio.ensure_future(self._decided(session, chat, action))

    async def _decided(self, session: Session, chat: Chat, action: PendingAction) -> None:
        try:
            await self._decisions.decided(session.id, chat, action)
        except (PerdureError, ApiError) as error:
            self._update(session, {"sessionUpdate": "agent_message_chunk", "content": text_block(str(error))})

    def _show(self, session: Session, log: TurnLog, message: Message) -> None:
        self._all(session, updates_of(log.committed(message)))
        if questions := questions_in(message):
            session.asked = questions

    async def _opened(self, name: str) -> Session:
        session = self._sessions.get(name) or Session(name)
        if session.chat is None:
            session.chat = await self._chat(name)
            session.plans = session.chat.card.plan_mode
        self._sessions[name] = session
        return session

    async def _chat(self, name: str) -> Chat:
        """The chat of a session that was open before, in any editor; or one that somebody began elsewhere."""
        found = (await self._client.chats.list(f"label:{LABEL}:{name}")).items
        try:
            return await self._client.chats.get(found[0].id if found else UUID(name))
        except (ValueError, ApiError):
            raise NotFound(f"There is no session {name!r}.") from None

    def _catch_up(self, session: Session, said: Sequence[Message]) -> None:
        chat = session.chat
        assert chat is not None
        if chat.card.status is Status.WAITING:
            return
        log = TurnLog(said[-1].number if said else 0)
        session.following = asyncio.ensure_future(self._shown(session, chat, log))

    async def _shown(self, session: Session, chat: Chat, log: TurnLog) -> None:
        try:
            await self._followed(session, chat, None, log)
        except PerdureError as error:
            self._update(session, {"sessionUpdate": "agent_message_chunk", "content": text_block(str(error))})

    def _session(self, params: dict[str, Any]) -> Session:
        session = self._sessions.get(params["sessionId"])
        if session is None:
            raise NotFound(f"There is no session {params['sessionId']!r}. Load it first.")
        return session

    def _all(self, session: Session, updates: Any) -> None:
        for update in updates:
            self._update(session, update)

    def _update(self, session: Session, update: dict[str, Any]) -> None:
        self._lines.notify("session/update", {"sessionId": session.id, "update": update})


async def _history(chat: Chat) -> list[Message]:
    said: list[Message] = []
    before: int | None = None
    while page := await chat.messages(before=before, limit=_PAGE):
        said += page
        before = page[-1].number
    return said[::-1]


def _modes(*, plans: bool) -> dict[str, Any]:
    return {
        "currentModeId": "plan" if plans else "work",
        "availableModes": [{"id": mode, "name": name} for mode, name in _MODES.items()],
    }


def _option(name: str, title: str, current: str, values: Mapping[str, str]) -> dict[str, Any]:
    options = [{"value": value, "name": shown} for value, shown in values.items()]
    return {
        "id": name,
        "name": title,
        "category": name,
        "type": "select",
        "currentValue": current,
        "options": options,
    }


def _block(block: dict[str, Any]) -> str:
    """What is said, with what the editor embeds: files by their text, links by their address."""
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "resource", "resource": {"uri": str(uri), "text": str(text)}}:
            return f"{uri}:\n```\n{text}\n```"
        case {"type": "resource_link", "uri": str(uri)}:
            return uri
        case _:
            raise InvalidInput("This kind of content is not accepted.", Validation("prompt", str(block.get("type"))))
