"""Bringing what was prepared to a chat: as a schedule or a trigger chose it."""

from perdure.api.wire.chats import CreateBody, SendBody, WorkspaceWish
from perdure.api.wire.content import AnyContent
from perdure.config.speech import Speech
from perdure.core.chat import Busy

UNEXPECTED = "Something unexpected went wrong. The server's log says what."


class Skip(Exception):
    """What is not to begin, and why."""


class Later(Exception):
    """What waits, and for what."""


def new_chat(speech: Speech, content: tuple[AnyContent, ...], title: str) -> CreateBody:
    wish = speech.workspace
    return CreateBody(
        content=content,
        model=speech.model,
        effort=speech.effort,
        title=title,
        workspace=None if wish is None else WorkspaceWish(wish.template, wish.parameters),
        workspace_id=speech.workspace_id,
        budget_limit=speech.budget_limit,
    )


def message(speech: Speech, content: tuple[AnyContent, ...], busy: Busy) -> SendBody:
    return SendBody(content=content, busy=busy, model=speech.model, effort=speech.effort)
