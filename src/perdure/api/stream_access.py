"""Who may follow a stream: the same callers and the same rows as for every other request."""

from collections.abc import Callable, Collection, Sequence

from perdure.access.actor import Actor, ActorRows, Permission
from perdure.access.authentication import Authentication, check_page
from perdure.access.credentials import secret_of
from perdure.api.errors import answer_of
from perdure.core.errors import ChatNotFound, NotFound, Unauthenticated
from perdure.core.ids import ChatId, WorkspaceId
from perdure.store.pool import Pool
from perdure.store.tables import chats, workspaces
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.stream.access import Admission, Refusal, Scope


class StreamAccess:
    """Lets callers in by their session or token, and asks again while they stay."""

    def __init__(
        self,
        authentication: Authentication,
        pool: Pool,
        rows: Callable[[Actor], ActorRows],
        *,
        public_url: str | None = None,
    ) -> None:
        self._authentication = authentication
        self._pool = pool
        self._rows = rows
        self._public_url = public_url

    async def enter(self, scope: Scope, chat_id: ChatId | None) -> Admission:
        actor, secret = await self._actor(scope)
        own = chat_id is None or await self._owns(actor, chat_id)
        return Admission(
            user_id=actor.user_id,
            name=actor.name,
            organisation_id=actor.organisation_id,
            chat_id=chat_id,
            own=own,
            credential=secret,
        )

    async def _owns(self, actor: Actor, chat_id: ChatId) -> bool:
        found = await chats.read(self._rows(actor), chat_id)
        if found is None:
            raise ChatNotFound
        return found.card.owner_id == actor.user_id

    async def enter_workspace(self, scope: Scope, workspace_id: WorkspaceId) -> tuple[Admission, WorkspaceRow]:
        """Let the caller act in a workspace of their own."""
        actor, secret = await self._actor(scope)
        actor.require(Permission.CHAT)
        row = await workspaces.read(self._rows(actor), workspace_id)
        if row is None:
            raise NotFound("Workspace not found.")
        admission = Admission(
            user_id=actor.user_id, organisation_id=actor.organisation_id, works=True, credential=secret
        )
        return admission, row

    async def _actor(self, scope: Scope) -> tuple[Actor, str | None]:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        secret = secret_of(headers)
        actor = await self._authentication.actor(secret)
        if actor.session_id is not None:
            # It sends its cookie to whoever opens a socket.
            check_page(headers, self._public_url)
        return actor, secret

    async def denied(self, admissions: Sequence[Admission]) -> Collection[Admission]:
        followed = [(each, each.user_id, each.chat_id) for each in admissions if each.chat_id is not None]
        found = await chats.readable(self._pool, [user for _, user, _ in followed], [chat for _, _, chat in followed])
        readable = {(each.user_id, each.chat_id) for each in found}
        revoked = {each for each, user_id, chat_id in followed if (user_id, chat_id) not in readable}
        return revoked | {each for each in admissions if not await self._still_good(each)}

    async def _still_good(self, admission: Admission) -> bool:
        assert admission.credential is None or isinstance(admission.credential, str)
        try:
            actor = await self._authentication.actor(admission.credential)
        except Unauthenticated:
            return False
        return not admission.works or Permission.CHAT in actor.permissions

    def refusal(self, error: Exception) -> Refusal:
        answer = answer_of(error)
        return Refusal(answer.status, answer.body)
