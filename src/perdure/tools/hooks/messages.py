"""What a hook is asked, and what it may answer, as JSON."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from msgspec import Struct

from perdure.config.hooks import HookEvent
from perdure.core.ids import ChatId, OrganisationId, UserId

ANSWER_BYTES = 256 * 1024
CONTEXT_CHARACTERS = 32 * 1024


class Decision(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class Subject(Struct, frozen=True, kw_only=True):
    """What a request is about: a chat, its owner, and the turn."""

    organisation_id: OrganisationId
    owner_id: UserId
    chat_id: ChatId | None = None
    """None where the chat does not exist yet."""
    turn: int = 0


class HookRequest(Struct, frozen=True, kw_only=True):
    """The body of a request to a hook."""

    event: HookEvent
    dispatch_id: UUID
    """Names this request. Asked again, it is the same: whoever acts on it can tell."""
    chat_id: ChatId | None
    turn: int
    user_id: UserId
    payload: dict[str, Any]


class HookResponse(Struct, frozen=True, kw_only=True):
    """What a hook says. An empty object allows."""

    decision: Decision = Decision.ALLOW
    input: Any = None
    """What to go on with instead."""
    model_context: str = ""
    """Told to the model and not to people."""
    user_message: str = ""
    """Told to people and not to the model."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What all hooks of a point came to."""

    denied: str | None = None
    """Why it must not be, in words."""
    input: Any = None
    contexts: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Verdict()
