"""Signing in and out: passwords, one-time links, the first person of a new deployment."""

import math
from collections import deque
from dataclasses import dataclass
from datetime import timedelta

from perdure.access.actor import ActorRows, Role
from perdure.access.credentials import LINK_PREFIX, SESSION_PREFIX, digest, matches, mint
from perdure.core.errors import InvalidInput, RateLimited, Unauthenticated, Validation
from perdure.core.ids import OrganisationId, UserId
from perdure.core.timing import LOGIN_LINK_KEPT, LOGIN_WINDOW, SESSION_KEPT, SIGN_IN_FRESH, Clock
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import locks, login_links, organisations, sessions, users

# Beyond this many keys those whose window has passed are dropped.
CAPACITY = 10_000


class Attempts:
    """At most so many tries per key and window."""

    def __init__(self, clock: Clock, *, limit: int, window: timedelta) -> None:
        self._clock = clock
        self._limit = limit
        self._window = window.total_seconds()
        self._tries: dict[str, deque[float]] = {}

    def count(self, key: str) -> None:
        """Count one more try, or refuse it."""
        now = self._clock.monotonic()
        tries = self._tries.setdefault(key, deque())
        while tries and tries[0] <= now - self._window:
            tries.popleft()
        if len(tries) >= self._limit:
            raise RateLimited(math.ceil(tries[0] + self._window - now))
        tries.append(now)
        if len(self._tries) > CAPACITY:
            self._tries = {key: tries for key, tries in self._tries.items() if tries[-1] > now - self._window}

    def forgive(self, key: str) -> None:
        """The right one came: earlier tries do not count."""
        self._tries.pop(key, None)


TRIES_PER_PERSON = 10
TRIES_PER_ADDRESS = 100
TOKENS_PER_PERSON = 50
PROVE = "Give your old password too, or sign in anew first."
FIRST_EMAIL = "owner@localhost"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Where somebody signs in from."""

    address: str
    user_agent: str = ""


class SignIn:
    """Opens sessions for those who prove who they are."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._people = Attempts(clock, limit=TRIES_PER_PERSON, window=LOGIN_WINDOW)
        self._addresses = Attempts(clock, limit=TRIES_PER_ADDRESS, window=LOGIN_WINDOW)
        self._minted = Attempts(clock, limit=TOKENS_PER_PERSON, window=LOGIN_WINDOW)

    def count_attempt(self, visitor: Visitor) -> None:
        """Count somebody who tries to sign in, or refuse them where they try too often."""
        self._addresses.count(visitor.address)

    def count_token(self, user_id: UserId) -> None:
        """Count a token that somebody makes, or refuse it where they make too many."""
        self._minted.count(str(user_id))

    async def by_password(self, email: str, password: str, visitor: Visitor) -> str:
        """A session's secret, for the right password."""
        self.count_attempt(visitor)
        self._people.count(email.lower())
        known = await users.by_email(self._pool, email)
        if not await matches(password, known.password_hash if known else None) or known is None:
            raise Unauthenticated("The email or password is wrong.")
        self._people.forgive(email.lower())
        return await self.open(known.id, visitor)

    async def by_link(self, secret: str, visitor: Visitor) -> str:
        self.count_attempt(visitor)
        link = await login_links.use(self._pool, digest(secret))
        if link is None or not link.valid:
            raise Unauthenticated("This link has already been used or has expired. Ask for a new one.")
        return await self.open(link.user_id, visitor)

    async def open(self, user_id: UserId, visitor: Visitor) -> str:
        secret = mint(SESSION_PREFIX)
        agent = visitor.user_agent[:200]
        if await sessions.begin(self._pool, digest(secret), user_id, visitor.address, agent, SESSION_KEPT) is None:
            raise Unauthenticated("This account is disabled.")
        return secret

    async def prove(self, rows: ActorRows, old_password: str | None) -> None:
        """Whoever sets a new password knows the old one, or signed in a moment ago.

        A stolen session alone keeps nobody out of their own account.
        """
        actor = rows.actor
        if actor.session_id is not None and await sessions.fresh(rows, actor.session_id, SIGN_IN_FRESH) is not None:
            return
        known = await users.own_password(rows)
        known_hash = known.password_hash if known else None
        if known_hash is None and actor.session_id is None:
            return
        if old_password is None or known_hash is None:
            raise InvalidInput(PROVE, Validation("old_password", "is missing"))
        self._people.count(str(actor.user_id))
        if not await matches(old_password, known_hash):
            raise InvalidInput("The current password is wrong.", Validation("old_password", "is wrong"))
        self._people.forgive(str(actor.user_id))

    async def reachable(self) -> bool:
        """Whether anybody can sign in without a link."""
        owner = await users.first_owner(self._pool)
        return owner is not None and owner.reachable

    async def link(self, user_id: UserId) -> str:
        """The secret of a link that signs this person in once."""
        secret = mint(LINK_PREFIX)
        await login_links.make(self._pool, digest(secret), user_id, LOGIN_LINK_KEPT)
        return secret


@dataclass(frozen=True, slots=True)
class FirstAccount:
    """The owner and the organisation that a deployment has from its start."""

    owner: UserId
    organisation: OrganisationId
    reachable: bool
    """Whether anybody can sign in without a link."""


async def first_account(pool: Pool) -> FirstAccount:
    """The deployment's owner and organisation, made if there are none."""
    async with transaction(pool) as connection:
        # Two replicas that start together make one account.
        await locks.first_account(connection)
        organisation = await organisations.first(connection) or await organisations.add(connection, "Default")
        owner = await users.first_owner(connection)
        if owner is not None:
            return FirstAccount(owner.id, organisation, owner.reachable)
        added = await users.add(OrganisationScope(connection, organisation), FIRST_EMAIL, "Owner", Role.OWNER, None)
        return FirstAccount(added.id, organisation, reachable=False)
