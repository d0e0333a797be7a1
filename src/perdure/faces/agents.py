"""What protocols of pages and of other agents share: agents by name, a turn that is followed, and what it asks."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from perdure.access.chats import Seen
from perdure.api.routes.control import act
from perdure.core.action import ActionKind
from perdure.core.errors import ChatNotFound, NotFound, TransitionNotAllowed
from perdure.core.ids import ModelName
from perdure.faces.asked import TurnId, own_tools
from perdure.faces.asking import AGENT
from perdure.faces.face import Request
from perdure.faces.following import TurnFeed
from perdure.faces.mcp.questions import calls_asked, decisions_of, questions_of
from perdure.faces.mcp.tasks import Tasks


async def model_of(request: Request, agent: str) -> str:
    """What is asked for when this agent is meant."""
    organisation = request.caller.actor.organisation_id
    if await request.caller.config.model(organisation, ModelName(agent)) is not None:
        return agent
    templates = await request.caller.services.workspaces.templates.all(organisation)
    if all(template.name != agent for template in templates):
        raise NotFound(f"There is no agent {agent!r}: name a model or a template.")
    return f"{AGENT}{agent}"


BODY_LIMIT = 32 * 1024 * 1024


async def feed_of(request: Request, turn: TurnId) -> TurnFeed:
    """The turn's events, for somebody who may read the chat."""
    chats = request.caller.chats
    names = own_tools(await chats.read(turn.chat_id))
    return TurnFeed(chats, request.hubs, turn.chat_id, turn.number, names)


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is to decide, by a key that no other question of the turn has."""

    key: str
    kind: ActionKind
    form: Mapping[str, Any]
    call_id: str | None
    """The call that it is about."""


Questions: TypeAlias = Callable[[], Awaitable[Sequence[Question]]]
"""Asks what is to be decided now."""


def questions_in(request: Request, turn: TurnId) -> Questions:
    async def asked() -> list[Question]:
        task = await Tasks(request.caller.chats, request.hubs).read(turn)
        if task.action is None:
            return []
        calls = calls_asked(task)
        return [Question(key, task.action.kind, form, calls.get(key)) for key, form in questions_of(task).items()]

    return asked


async def decide(request: Request, seen: Seen | None, answers: Mapping[str, Any]) -> None:
    """What a page answers to the questions of a chat, by key. Somebody may have decided on another page meanwhile."""
    if seen is None:
        raise ChatNotFound
    task = await Tasks(request.caller.chats, request.hubs).newest(seen)
    decided = decisions_of(task, answers)
    if decided is not None:
        with suppress(TransitionNotAllowed):
            await act(request.caller, seen.chat.id, decided)
