"""Who may follow what: the questions that streams ask and the API answers."""

from collections.abc import Awaitable, Callable, Collection, Hashable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from perdure.core.ids import ChatId, OrganisationId, UserId

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """That somebody was let in: to one chat, or to everything of theirs."""

    user_id: UserId
    name: str = ""
    organisation_id: OrganisationId
    chat_id: ChatId | None = None
    own: bool = True
    """Whether the chat is theirs, and not only shared with them."""
    works: bool = False
    """Whether they do something in there, and not only look."""
    credential: Hashable = None
    """What proved who they are, so that its end can end the stream."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to somebody who does not get in."""

    status: int
    body: bytes


class AccessControl(Protocol):
    """Lets callers in, and looks after those inside."""

    async def enter(self, scope: Scope, chat_id: ChatId | None) -> Admission:
        """Let the caller of this request in. Raises where they may not."""
        ...

    async def denied(self, admissions: Sequence[Admission]) -> Collection[Admission]:
        """Those of these admissions that are no longer good, found in one query."""
        ...

    def refusal(self, error: Exception) -> Refusal:
        """How an error is told."""
        ...
