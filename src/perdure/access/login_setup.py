"""Setting up login services, which decide who gets in: the owner's business alone."""

import msgspec

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.login_services import SECRET_PURPOSE, LoginOptions
from perdure.access.roles import Permission, Role
from perdure.access.rows import ActorRows
from perdure.core.errors import NotAllowed, NotFound
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import login_services
from perdure.store.tables.login_services import NewService, ServiceSetup


class LoginSetup:
    """The login services of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[ServiceSetup]:
        return await login_services.listed(self._owned())

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
    ) -> ServiceSetup:
        organisation = self._owned()
        sealed = None if secret is None else self._keyring.seal(secret, SECRET_PURPOSE)
        text = msgspec.json.encode(options).decode()
        service = NewService(slug, name, issuer, client_id, sealed, text, enabled)
        put = await login_services.put(organisation, service)
        if put is None:
            raise NotFound("There is no such login service.")
        await record(self._rows, "login_service.put", slug, issuer=issuer, client_id=client_id, enabled=enabled)
        return put

    async def delete(self, slug: str) -> None:
        if await login_services.delete(self._owned(), slug) is None:
            raise NotFound("There is no such login service.")
        await record(self._rows, "login_service.delete", slug)

    def _owned(self) -> OrganisationScope:
        organisation = self._rows.organisation(Permission.PEOPLE)
        if self._rows.actor.role is not Role.OWNER:
            raise NotAllowed("Only an owner may set up login services.")
        return organisation
