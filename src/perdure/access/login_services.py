"""Signing in with a login service: who its claims make of somebody, what they may do here, and setting one up."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from perdure.access.actor import ActorRows, Permission, Role, record
from perdure.access.keyring import Keyring
from perdure.access.oidc import SCOPES, Attempt, Client, Oidc
from perdure.core.errors import NotAllowed, NotFound, Unauthenticated
from perdure.core.ids import UserId
from perdure.core.timing import OIDC_ATTEMPT_KEPT, Clock
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import audit, identities, login_services, users
from perdure.store.tables.identities import Person
from perdure.store.tables.login_services import LoginService, NewService, OfferedService, ServiceSetup

SECRET_PURPOSE = "login service"  # noqa: S105
_ATTEMPT_PURPOSE = "sign-in attempt"


class LoginOptions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a service's people become ours."""

    scopes: str = SCOPES
    provision: bool = True
    """Whether somebody whom nobody added gets an account."""
    domains: tuple[str, ...] = ()
    """The domains of addresses that may sign in; none means all."""
    role_claim: str = ""
    """The claim that decides the role, such as `groups`: a text or a list of texts."""
    roles: dict[str, Role] = {}
    """From a value of that claim to a role; the most powerful that applies counts, else `role`."""
    role: Role = Role.MEMBER


class _Kept(Struct, frozen=True):
    """What a browser carries while its person is away, sealed."""

    slug: str
    attempt: Attempt
    until: float


_options = msgspec.json.Decoder(LoginOptions)
_POWER = (Role.OWNER, Role.ADMIN, Role.MEMBER, Role.AUDITOR)


class LoginServices:
    """Sends people to a login service and knows them when they come back."""

    def __init__(self, pool: Pool, keyring: Keyring, oidc: Oidc, clock: Clock) -> None:
        self._pool = pool
        self._keyring = keyring
        self._oidc = oidc
        self._clock = clock

    async def offered(self) -> list[OfferedService]:
        return await login_services.offered(self._pool)

    async def begin(self, slug: str, redirect_uri: str) -> tuple[str, str]:
        """Where to send the browser, and what it must bring back besides."""
        client = self._client(await self._service(slug), redirect_uri)
        attempt = Attempt.new()
        until = self._clock.now().timestamp() + OIDC_ATTEMPT_KEPT.total_seconds()
        kept = msgspec.json.encode(_Kept(slug, attempt, until)).decode()
        return await self._oidc.url(client, attempt), self._keyring.seal(kept, _ATTEMPT_PURPOSE).hex()

    async def finish(self, slug: str, redirect_uri: str, *, code: str, state: str, kept: str) -> UserId:
        """Whoever came back."""
        attempt = self._attempt(slug, state, kept)
        service = await self._service(slug)
        claims = await self._oidc.claims(self._client(service, redirect_uri), attempt, code)
        return await self._person(service, claims)

    def _attempt(self, slug: str, state: str, sealed: str) -> Attempt:
        try:
            text = self._keyring.open(bytes.fromhex(sealed), _ATTEMPT_PURPOSE)
            kept = msgspec.json.decode(text, type=_Kept)
        except Exception:  # noqa: BLE001 - whatever is wrong with it, it is not what we gave
            raise Unauthenticated("The sign-in did not finish the way it started. Try again.") from None
        if kept.slug != slug or kept.attempt.state != state or kept.until < self._clock.now().timestamp():
            raise Unauthenticated("The sign-in took too long, or was started in another browser. Try again.")
        return kept.attempt

    async def _service(self, slug: str) -> LoginService:
        service = await login_services.one(self._pool, slug)
        if service is None:
            raise NotFound("Login service not found.")
        return service

    def _client(self, service: LoginService, redirect_uri: str) -> Client:
        options = _options.decode(service.options)
        secret = None if service.secret is None else self._keyring.open(service.secret, SECRET_PURPOSE)
        return Client(service.issuer, service.client_id, secret, redirect_uri, options.scopes)

    async def _person(self, service: LoginService, claims: Mapping[str, Any]) -> UserId:
        """The person that the claims mean: known by their subject, by their verified address, or new."""
        options, subject = _options.decode(service.options), str(claims["sub"])
        person = await identities.known(self._pool, service.issuer, subject, service.organisation_id)
        if person is None:
            email = _verified_email(claims, options)
            person = await identities.link(self._pool, service.issuer, subject, service.organisation_id, email)
            if person is None:
                person = await self._added(service, claims, options, email)
            await self._note(person.id, "user.link", issuer=service.issuer)
        role = _role(claims, options)
        if role is not None and await users.set_role(self._pool, person.id, role):
            await self._note(person.id, "user.role", role=role.value, issuer=service.issuer)
        return person.id

    async def _added(
        self, service: LoginService, claims: Mapping[str, Any], options: LoginOptions, email: str
    ) -> Person:
        if not options.provision:
            raise Unauthenticated("You have no account here. Ask an admin to add you.")
        organisation, name = service.organisation_id, str(claims.get("name") or email.partition("@")[0])[:200]
        await users.add_unless_there(self._pool, organisation, email, name, options.role, None)
        person = await identities.link(self._pool, service.issuer, str(claims["sub"]), organisation, email)
        if person is None:
            raise Unauthenticated("This address belongs to a user of another organization.")
        return person

    async def _note(self, user_id: UserId, action: str, **detail: str) -> None:
        await audit.note_sign_in(self._pool, user_id, action, msgspec.json.encode(detail).decode())


def _verified_email(claims: Mapping[str, Any], options: LoginOptions) -> str:
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email or claims.get("email_verified") is not True:
        raise Unauthenticated("The login service has not verified your e-mail address.")
    domain = email.rpartition("@")[2].lower()
    if options.domains and domain not in {each.lower() for each in options.domains}:
        raise Unauthenticated("Email addresses of this domain cannot sign in here.")
    return email


def _role(claims: Mapping[str, Any], options: LoginOptions) -> Role | None:
    """The role that the claims give, or None where they decide nothing."""
    if not options.role_claim:
        return None
    said = claims.get(options.role_claim)
    values = [str(value) for value in cast("list[object]", said)] if isinstance(said, list) else [str(said)]
    given = {options.roles[value] for value in values if value in options.roles}
    return next((role for role in _POWER if role in given), options.role)


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
            raise NotFound("Login service not found.")
        await record(self._rows, "login_service.put", slug, issuer=issuer, client_id=client_id, enabled=enabled)
        return put

    async def delete(self, slug: str) -> None:
        if await login_services.delete(self._owned(), slug) is None:
            raise NotFound("Login service not found.")
        await record(self._rows, "login_service.delete", slug)

    def _owned(self) -> OrganisationScope:
        organisation = self._rows.organisation(Permission.PEOPLE)
        if self._rows.actor.role is not Role.OWNER:
            raise NotAllowed("Only an owner can set up login services.")
        return organisation
