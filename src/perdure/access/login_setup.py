"""Setting up login services, which decide who gets in: the owner's business alone."""

import msgspec
from asyncpg import Record

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.login_services import SECRET_PURPOSE, LoginOptions
from perdure.access.roles import Permission, Role
from perdure.access.rows import ActorRows
from perdure.core.errors import NotAllowed, NotFound

_PEOPLE = Permission.PEOPLE


class LoginSetup:
    """The login services of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[Record]:
        self._require_owner()
        return await self._rows.of_organisation(_PEOPLE, "login_services/list")

    async def put(
        self,
        slug: str,
        *,
        name: str,
        issuer: str,
        client_id: str,
        secret: str | None,
        options: LoginOptions,
        enabled: bool,
    ) -> Record:
        self._require_owner()
        sealed = None if secret is None else self._keyring.seal(secret, SECRET_PURPOSE)
        text = msgspec.json.encode(options).decode()
        values = (slug, name, issuer, client_id, sealed, text, enabled)
        rows = await self._rows.of_organisation(_PEOPLE, "login_services/put", *values)
        if not rows:
            raise NotFound("There is no such login service.")
        await record(self._rows, "login_service.put", slug, issuer=issuer, client_id=client_id, enabled=enabled)
        return rows[0]

    async def delete(self, slug: str) -> None:
        self._require_owner()
        if not await self._rows.of_organisation(_PEOPLE, "login_services/delete", slug):
            raise NotFound("There is no such login service.")
        await record(self._rows, "login_service.delete", slug)

    def _require_owner(self) -> None:
        self._rows.actor.require(_PEOPLE)
        if self._rows.actor.role is not Role.OWNER:
            raise NotAllowed("Only an owner may set up login services.")
