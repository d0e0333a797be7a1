"""Who is refused is told why: because of who they are, or because of the token that they came with."""

from uuid import uuid4

import pytest

from perdure.access.actor import PERMISSIONS, SCOPED, Actor, Permission, Role, Scope
from perdure.core.errors import NotAllowed
from perdure.core.ids import OrganisationId, UserId


def actor(role: Role, scope: Scope) -> Actor:
    return Actor(
        user_id=UserId(uuid4()),
        organisation_id=OrganisationId(uuid4()),
        role=role,
        permissions=PERMISSIONS[role] & SCOPED[scope],
    )


@pytest.mark.parametrize(
    ("role", "scope", "permission", "why"),
    [
        (Role.OWNER, Scope.CHAT, Permission.CONFIGURE, "but this token does not: it is missing the scope admin."),
        (Role.AUDITOR, Scope.CHAT, Permission.AUDIT, "but this token does not: it is missing the scope admin."),
        (Role.MEMBER, Scope.READ, Permission.CHAT, "but this token does not: it is missing the scope chat."),
        (Role.MEMBER, Scope.ADMIN, Permission.CONFIGURE, "Only an admin may see or change the configuration."),
        (Role.AUDITOR, Scope.CHAT, Permission.CHAT, "Your role does not allow chats of your own."),
    ],
)
def test_a_refusal_says_whether_the_role_or_the_token_is_the_reason(
    role: Role, scope: Scope, permission: Permission, why: str
) -> None:
    with pytest.raises(NotAllowed) as refusal:
        actor(role, scope).require(permission)
    assert str(refusal.value).endswith(why)
