"""Whoever asks: a person, as proved by a session or a token, and what that lets them do."""

from dataclasses import dataclass
from uuid import UUID

from perdure.access.roles import PERMISSIONS, Permission, Role, Scope
from perdure.core.errors import NotAllowed
from perdure.core.ids import OrganisationId, UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """One person in one organisation."""

    user_id: UserId
    organisation_id: OrganisationId
    role: Role
    permissions: frozenset[Permission]
    writes: bool = True
    """False for a token that only reads."""
    narrow: bool = False
    """True for a token that is for less than its person may do."""
    session_id: UUID | None = None
    """Set when a browser's cookie proved it; such a caller must also prove that the page is ours."""

    def require(self, permission: Permission) -> None:
        if permission in self.permissions:
            return
        if permission in PERMISSIONS[self.role]:
            scope = Scope.CHAT if permission is Permission.CHAT else Scope.ADMIN
            raise NotAllowed(f"Your role allows this, but this token does not: it lacks the scope {scope.value}.")
        raise NotAllowed(_REFUSALS[permission])

    def require_whole(self) -> None:
        """What proves who somebody is, is theirs alone: with less, one could make oneself what is for more."""
        if self.narrow:
            raise NotAllowed("This token is for less than that. Sign in, or use a token with the scope admin.")


_REFUSALS = {
    Permission.CHAT: "Your role does not allow chats of your own.",
    Permission.CONFIGURE: "Only an admin may see or change the configuration.",
    Permission.PEOPLE: "Only an admin may manage people.",
    Permission.AUDIT: "Only an admin or an auditor may read this.",
}
