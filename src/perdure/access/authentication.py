"""How a caller proves who they are: a session's cookie or a token, remembered for a few seconds."""

import logging
from collections.abc import Callable, Mapping

from perdure.access.actor import PERMISSIONS, SCOPED, Actor, Role, Scope
from perdure.access.credentials import SESSION_PREFIX, TOKEN_PREFIX, csrf_token, digest, same
from perdure.core.errors import NotAllowed, Unauthenticated, Unavailable
from perdure.core.notice import ACTORS_CHANGED, Notice, Topic
from perdure.core.timing import ACTOR_CACHED, Clock
from perdure.store.cache import Cache
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.tables import sessions, tokens
from perdure.store.tables.sessions import SessionActor
from perdure.store.tables.tokens import TokenActor

_log = logging.getLogger(__name__)


class Authentication:
    """Turns a secret into an actor. What was revoked elsewhere is forgotten here as soon as we hear of it."""

    def __init__(self, pool: Pool, pubsub: Pubsub, clock: Clock) -> None:
        self._pool = pool
        self._pubsub = pubsub
        self._actors = Cache[str, Actor | None](self._load, kept=ACTOR_CACHED, clock=clock)

    async def actor(self, secret: str | None) -> Actor:
        """Whose secret this is."""
        if secret is None:
            raise Unauthenticated
        actor = await self._actors.get(secret)
        if actor is None:
            raise Unauthenticated("This session or token has expired. Sign in again.")
        return actor

    async def taken(self, secret: str) -> bool:
        """Whether a token that waits for its program is handed to it now: nobody has had it before."""
        return await tokens.take(self._pool, digest(secret)) is not None

    def follow(self) -> Callable[[], None]:
        """Listen for revocations; the result stops that."""
        return self._pubsub.listen(self._hear)

    def forget(self) -> None:
        """Somebody's rights changed: here and on every other replica they are looked up again."""
        self._actors.forget()
        self._pubsub.publish([Notice(Topic.CONFIG, name=ACTORS_CHANGED)])

    def forget_here(self) -> None:
        """Another server of the database answers, which may know of other sessions and tokens."""
        self._actors.forget()

    def _hear(self, notice: Notice) -> None:
        if notice.topic is Topic.CONFIG and notice.name == ACTORS_CHANGED:
            self._actors.forget()

    async def _load(self, secret: str) -> Actor | None:
        if secret.startswith(SESSION_PREFIX):
            session = await sessions.actor(self._pool, digest(secret))
            return session and _of_session(session)
        if secret.startswith(TOKEN_PREFIX):
            token = await tokens.actor(self._pool, digest(secret))
            if token is not None and token.unnoted:
                await self._note_use(secret)
            return token and _of_token(token)
        return None

    async def _note_use(self, secret: str) -> None:
        """Nobody is turned away because that cannot be written: a database that can be read answers who reads."""
        try:
            await tokens.note_use(self._pool, digest(secret))
        except Unavailable as error:
            _log.debug("the use of a token was not noted: %s", error)


def _of_session(session: SessionActor) -> Actor:
    role = Role(session.role)
    return Actor(
        user_id=session.user_id,
        organisation_id=session.organisation_id,
        name=session.name,
        role=role,
        permissions=PERMISSIONS[role],
        session_id=session.session_id,
    )


def _of_token(token: TokenActor) -> Actor:
    role, scopes = Role(token.role), {Scope(scope) for scope in token.scopes}
    return Actor(
        user_id=token.user_id,
        organisation_id=token.organisation_id,
        name=token.name,
        role=role,
        permissions=PERMISSIONS[role] & frozenset[object]().union(*(SCOPED[scope] for scope in scopes)),
        writes=scopes != {Scope.READ},
        narrow=Scope.ADMIN not in scopes,
    )


def check_origin(session_secret: str, token: str | None) -> None:
    """A browser sends its cookie whoever asks it to; only a page of ours knows the token."""
    if token is None or not same(token, csrf_token(session_secret)):
        raise NotAllowed("The X-CSRF-Token header is missing or wrong. Reload the page.")


def check_page(headers: Mapping[str, str], public_url: str | None) -> None:
    """Where nothing else proves it, a browser itself says whose page asks: only ours may sign people in or connect."""
    origin = headers.get("origin")
    ours = {headers.get("host", ""), (public_url or "").partition("://")[2].partition("/")[0]} - {""}
    if origin is not None and origin.partition("://")[2] not in ours:
        raise NotAllowed("Requests from other sites are not allowed. Open this server's own page.")
