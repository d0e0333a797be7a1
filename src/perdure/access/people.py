"""The people of an organisation, as one of them may see and change them."""

from datetime import timedelta
from uuid import UUID

from perdure.access.actor import ActorRows, Permission, Role, Scope, record
from perdure.access.credentials import HINT_LENGTH, TOKEN_PREFIX, digest, hashed, mint
from perdure.core.errors import InvalidInput, NotAllowed, NotFound, Refused, Validation
from perdure.core.ids import UserId
from perdure.store.tables import chats, groups, tokens, users
from perdure.store.tables.chats import ChatOfPerson
from perdure.store.tables.groups import Group, GroupWithMembers
from perdure.store.tables.tokens import Token
from perdure.store.tables.users import User

_PEOPLE = Permission.PEOPLE
CHATS_SHOWN = 500


class People:
    """The users of an organisation."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[User]:
        return await users.listed(self._rows)

    async def add(self, email: str, name: str, role: Role, password: str | None) -> User:
        organisation = self._rows.organisation(_PEOPLE)
        self._may_give(role)
        secret = None if password is None else await hashed(password)
        added = await users.add(organisation, email, name, role.value, secret)
        await record(self._rows, "user.add", added.id, email=email, role=role.value)
        return added

    async def change(
        self, user_id: UserId, *, name: str | None, role: Role | None, disabled: bool | None, password: str | None
    ) -> User:
        organisation = self._rows.organisation(_PEOPLE)
        person = await users.one(organisation, user_id)
        if person is None:
            raise NotFound("User not found.")
        self._may_give(role or Role(person.role), Role(person.role))
        secret = None if password is None else await hashed(password)
        changed = await users.change(organisation, user_id, name, role, disabled, secret)
        if changed is None:
            raise Refused("The deployment needs an owner. Make someone else an owner first.")
        if disabled or password is not None:
            await users.expel(organisation, user_id)
        told = {"role": role, "disabled": disabled, "name": name, "password": secret and "changed"}
        await record(self._rows, "user.change", user_id, **{k: v for k, v in told.items() if v is not None})
        return changed

    async def chats_of_removed(self, user_id: UserId) -> list[ChatOfPerson]:
        """The newest chats of somebody who was removed. Those of all others are their own business."""
        organisation = self._rows.organisation(_PEOPLE)
        person = await users.one(organisation, user_id)
        if person is None:
            raise NotFound("User not found.")
        if not person.disabled:
            raise NotAllowed("Only the chats of somebody who was removed can be read by others.")
        return await chats.of_person(organisation, user_id, CHATS_SHOWN)

    def _may_give(self, *roles: Role) -> None:
        if Role.OWNER in roles and self._rows.actor.role is not Role.OWNER:
            raise NotAllowed("Only an owner can add or change an owner.")


class Groups:
    """Groups of people that chats are shared with."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[GroupWithMembers]:
        return await groups.listed(self._rows)

    async def add(self, name: str, members: tuple[UserId, ...]) -> tuple[Group, list[UserId]]:
        async with self._rows.together() as rows:
            added = await groups.add(rows.organisation(_PEOPLE), name)
            found = await _set_members(rows, added.id, members)
            await record(rows, "group.add", added.id, name=name, members=found)
            return added, found

    async def change(self, group_id: UUID, name: str | None, members: tuple[UserId, ...] | None) -> None:
        async with self._rows.together() as rows:
            if await groups.rename(rows.organisation(_PEOPLE), group_id, name) is None:
                raise NotFound("Group not found.")
            if members is not None:
                await _set_members(rows, group_id, members)
            await record(rows, "group.change", group_id, name=name, members=members)

    async def delete(self, group_id: UUID) -> None:
        if await groups.delete(self._rows.organisation(_PEOPLE), group_id) is None:
            raise NotFound("Group not found.")
        await record(self._rows, "group.delete", group_id)


async def _set_members(rows: ActorRows, group_id: UUID, members: tuple[UserId, ...]) -> list[UserId]:
    found = await groups.set_members(rows.organisation(_PEOPLE), group_id, members)
    if len(found) < len(set(members)):
        raise InvalidInput("The list names an unknown user.", Validation("members", "names an unknown user"))
    return found


class Tokens:
    """The actor's own tokens."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[Token]:
        return await tokens.listed(self._rows)

    async def add(self, name: str, scopes: tuple[Scope, ...], kept: timedelta | None) -> tuple[Token, str]:
        """A new token and its secret, which is shown this once."""
        self._rows.actor.require_whole()
        secret = mint(TOKEN_PREFIX)
        token = await tokens.add_own(self._rows, digest(secret), name, secret[-HINT_LENGTH:], scopes, kept)
        if token is None:
            raise NotFound("User not found.")
        await record(self._rows, "token.add", token.id, name=name, scopes=scopes)
        return token, secret

    async def delete(self, token_id: UUID) -> None:
        self._rows.actor.require_whole()
        if await tokens.delete(self._rows, token_id) is None:
            raise NotFound("Token not found.")
        await record(self._rows, "token.delete", token_id)
