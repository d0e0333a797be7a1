"""What each role may do, as a table."""

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    OWNER = "owner"
    """Runs the deployment."""
    ADMIN = "admin"
    """Runs an organisation."""
    MEMBER = "member"
    AUDITOR = "auditor"
    """Reads what was done and what it cost, and changes nothing."""


class Permission(StrEnum):
    CHAT = "chat"
    """Have chats of one's own, and spend on them."""
    CONFIGURE = "configure"
    """Providers, models, keys of the deployment, settings, budgets."""
    PEOPLE = "people"
    """Users, groups and roles."""
    AUDIT = "audit"
    """The audit log and everybody's usage."""


PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(Permission),
    Role.ADMIN: frozenset(Permission),
    Role.MEMBER: frozenset({Permission.CHAT}),
    Role.AUDITOR: frozenset({Permission.AUDIT}),
}


class Scope(StrEnum):
    """What a token may be used for, within what its user may do."""

    READ = "read"
    CHAT = "chat"
    ADMIN = "admin"


SCOPED: Mapping[Scope, frozenset[Permission]] = {
    Scope.READ: frozenset(),
    Scope.CHAT: frozenset({Permission.CHAT}),
    Scope.ADMIN: frozenset(Permission),
}
