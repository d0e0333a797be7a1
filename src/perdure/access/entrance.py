"""How a caller proves who they are: a session's cookie or a token, remembered for a few seconds."""

from collections.abc import Callable, Mapping

from asyncpg import Pool, Record

from perdure.access.actor import Actor
from perdure.access.roles import PERMISSIONS, SCOPED, Role, Scope
from perdure.access.secret_texts import SESSION_PREFIX, TOKEN_PREFIX, csrf_token, digest, same
from perdure.core.clock import Clock
from perdure.core.errors import NotAllowed, Unauthenticated, Unavailable
from perdure.core.notice import Notice, Topic
from perdure.core.timing import ACTOR_CACHED
from perdure.store.away import AWAY
from perdure.store.cache import Cache
from perdure.store.pubsub import Pubsub
from perdure.store.queries import query

ACTORS_CHANGED = "actors"


class Entrance:
    """Turns a secret into an actor. What was revoked elsewhere is forgotten here as soon as we hear of it."""

    def __init__(self, pool: "Pool[Record]", pubsub: Pubsub, clock: Clock) -> None:
        self._pool = pool
        self._pubsub = pubsub
        self._actors = Cache[str, Actor | None](self._load, kept=ACTOR_CACHED, clock=clock)

    async def actor(self, secret: str | None) -> Actor:
        """Whose secret this is."""
        if secret is None:
            raise Unauthenticated
        actor = await self._actors.get(secret)
        if actor is None:
            raise Unauthenticated("This session or token is over. Sign in again.")
        return actor

    def follow(self) -> Callable[[], None]:
        """Listen for revocations; the result stops that."""
        return self._pubsub.listen(self._hear)

    def forget(self) -> None:
        """Somebody's rights changed: here and on every other replica they are looked up again."""
        self._actors.forget()
        self._pubsub.publish([Notice(Topic.CONFIG, name=ACTORS_CHANGED)])

    def _hear(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG and notice.name == ACTORS_CHANGED:
            self._actors.forget()

    async def _load(self, secret: str) -> Actor | None:
        name = _QUERIES.get(secret[: len(SESSION_PREFIX)])
        if name is None:
            return None
        try:
            row = await self._pool.fetchrow(query(name), digest(secret))
        except AWAY as error:
            raise Unavailable("The database is away. Try again.") from error
        return None if row is None else _actor_of(row)


_QUERIES = {SESSION_PREFIX: "sessions/actor", TOKEN_PREFIX: "tokens/actor"}


def _actor_of(row: Record) -> Actor:
    role = Role(row["role"])
    permissions, writes, narrow = PERMISSIONS[role], True, False
    if "scopes" in row:
        scopes = {Scope(scope) for scope in row["scopes"]}
        permissions &= frozenset[object]().union(*(SCOPED[scope] for scope in scopes))
        writes, narrow = scopes != {Scope.READ}, Scope.ADMIN not in scopes
    return Actor(
        user_id=row["user_id"],
        organisation_id=row["organisation_id"],
        role=role,
        permissions=permissions,
        writes=writes,
        narrow=narrow,
        session_id=row.get("session_id"),
    )


def check_origin(session_secret: str, token: str | None) -> None:
    """A browser sends its cookie whoever asks it to; only a page of ours knows the token."""
    if token is None or not same(token, csrf_token(session_secret)):
        raise NotAllowed("The X-CSRF-Token header is missing or wrong. Load the page again.")


def check_page(headers: Mapping[str, str], public_url: str | None) -> None:
    """Where nothing else proves it, a browser itself says whose page asks: only ours may sign people in or connect."""
    origin = headers.get("origin")
    ours = {headers.get("host", ""), (public_url or "").partition("://")[2].partition("/")[0]} - {""}
    if origin is not None and origin.partition("://")[2] not in ours:
        raise NotAllowed("Another site may not do this for you. Open the page of this server itself.")
