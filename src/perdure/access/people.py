"""The people of an organisation, as one of them may see and change them."""

from datetime import timedelta
from uuid import UUID

from asyncpg import Record

from perdure.access.audit import record
from perdure.access.passwords import hashed
from perdure.access.roles import Permission, Role, Scope
from perdure.access.rows import ActorRows
from perdure.access.secret_texts import HINT_LENGTH, TOKEN_PREFIX, digest, mint
from perdure.core.errors import InvalidInput, NotAllowed, NotFound, Refused, Validation
from perdure.core.ids import UserId


class People:
    """Users, groups and tokens."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[Record]:
        return await self._rows.all("users/list")

    async def add(self, email: str, name: str, role: Role, password: str | None) -> Record:
        self._rows.actor.require(Permission.PEOPLE)
        self._may_give(role)
        secret = None if password is None else await hashed(password)
        rows = await self._rows.of_organisation(Permission.PEOPLE, "users/add", email, name, role.value, secret)
        if not rows:
            raise Refused("Somebody has this address already.")
        await record(self._rows, "user.add", rows[0]["id"], email=email, role=role.value)
        return rows[0]

    async def change(
        self, user_id: UserId, *, name: str | None, role: Role | None, disabled: bool | None, password: str | None
    ) -> Record:
        person = await self._one(user_id)
        self._may_give(role or Role(person["role"]), Role(person["role"]))
        secret = None if password is None else await hashed(password)
        rows = await self._rows.of_organisation(
            Permission.PEOPLE, "users/change", user_id, name, role and role.value, disabled, secret
        )
        if not rows:
            raise Refused("The deployment needs an owner: make somebody else one first.")
        if disabled or password is not None:
            await self._rows.of_organisation(Permission.PEOPLE, "users/expel", user_id)
        changed = {
            "role": role,
            "disabled": disabled,
            "name": name,
            "password": None if password is None else "changed",
        }
        await record(self._rows, "user.change", user_id, **{k: v for k, v in changed.items() if v is not None})
        return rows[0]

    async def _one(self, user_id: UserId) -> Record:
        rows = await self._rows.of_organisation(Permission.PEOPLE, "users/one", user_id)
        if not rows:
            raise NotFound("There is no such user.")
        return rows[0]

    def _may_give(self, *roles: Role) -> None:
        if Role.OWNER in roles and self._rows.actor.role is not Role.OWNER:
            raise NotAllowed("Only an owner may make or change an owner.")


class Groups:
    """Groups of people that chats are shared with."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[Record]:
        return await self._rows.all("groups/list")

    async def add(self, name: str, members: tuple[UserId, ...]) -> tuple[Record, list[UserId]]:
        async with self._rows.together() as rows:
            added = await rows.of_organisation(Permission.PEOPLE, "groups/add", name)
            if not added:
                raise Refused("There is a group of this name already.")
            found = await _set_members(rows, added[0]["id"], members)
            await record(rows, "group.add", added[0]["id"], name=name, members=found)
            return added[0], found

    async def change(self, group_id: UUID, name: str | None, members: tuple[UserId, ...] | None) -> None:
        async with self._rows.together() as rows:
            if not await rows.of_organisation(Permission.PEOPLE, "groups/rename", group_id, name):
                raise NotFound("There is no such group.")
            if members is not None:
                await _set_members(rows, group_id, members)
            await record(rows, "group.change", group_id, name=name, members=members)

    async def delete(self, group_id: UUID) -> None:
        if not await self._rows.of_organisation(Permission.PEOPLE, "groups/delete", group_id):
            raise NotFound("There is no such group.")
        await record(self._rows, "group.delete", group_id)


async def _set_members(rows: ActorRows, group_id: UUID, members: tuple[UserId, ...]) -> list[UserId]:
    found = await rows.of_organisation(Permission.PEOPLE, "groups/set_members", group_id, list(members))
    if len(found) < len(set(members)):
        raise InvalidInput("Somebody in the list does not exist.", Validation("members", "names an unknown user"))
    return [row["user_id"] for row in found]


class Tokens:
    """The actor's own tokens."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[Record]:
        return await self._rows.all("tokens/list")

    async def add(self, name: str, scopes: tuple[Scope, ...], kept: timedelta | None) -> tuple[Record, str]:
        """A new token and its secret, which is shown this once."""
        self._rows.actor.require_whole()
        secret = mint(TOKEN_PREFIX)
        row = await self._rows.one(
            "tokens/add", digest(secret), name, secret[-HINT_LENGTH:], [scope.value for scope in scopes], kept
        )
        if row is None:
            raise NotFound("There is no such user.")
        await record(self._rows, "token.add", row["id"], name=name, scopes=scopes)
        return row, secret

    async def delete(self, token_id: UUID) -> None:
        self._rows.actor.require_whole()
        if await self._rows.one("tokens/delete", token_id) is None:
            raise NotFound("There is no such token.")
        await record(self._rows, "token.delete", token_id)
