"""What a provider keeps of a chat: the chain of its responses, and background responses that outlive us."""

from perdure.agent.history import History
from perdure.core.chat import Chat
from perdure.core.message import Kind, Role
from perdure.providers.prompt import block_hash
from perdure.providers.request import BACKGROUND, CHAIN, Continuation, ModelSettings
from perdure.providers.route import Route
from perdure.store.pool import Pool
from perdure.store.tables import background_responses


def system_mark(system: tuple[str, ...]) -> str:
    """What a system text is recognised by."""
    return block_hash("\n\n".join(system).encode("utf8", "surrogatepass"))


def chained(settings: ModelSettings, history: History, system: tuple[str, ...]) -> tuple[ModelSettings, Continuation]:
    """The settings of a request. A changed system text leaves the chain, and what comes of it begins another."""
    if not settings.options.get(CHAIN):
        return settings, Continuation()
    answered = (m for m in reversed(history.messages) if m.role is Role.ASSISTANT and m.kind is Kind.ORDINARY)
    last = next(answered, None)
    if last is None or last.system_mark in (None, system_mark(system)):
        return settings, Continuation()
    return settings.without(CHAIN), Continuation(store=True)


def outlives(route: Route, settings: ModelSettings) -> bool:
    """Whether an answer goes on at the provider when nobody listens."""
    return route.dialect.background is not None and bool(settings.options.get(BACKGROUND))


class BackgroundResponse:
    """Which response answers a chat's history, so that whoever drives the chat next can listen to the same one."""

    def __init__(self, pool: Pool, chat: Chat, model: str) -> None:
        self._pool = pool
        self._at = (chat.id, chat.history_version, model)

    async def find(self) -> str | None:
        return await background_responses.find(self._pool, *self._at)

    async def put(self, response_id: str) -> None:
        await background_responses.put(self._pool, *self._at, response_id)

    async def drop(self) -> None:
        await background_responses.drop(self._pool, self._at[0])


class BackgroundResponses:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def of(self, chat: Chat, route: Route, settings: ModelSettings) -> BackgroundResponse | None:
        """The response to come back to, where a provider goes on with it."""
        return BackgroundResponse(self._pool, chat, route.model.id) if outlives(route, settings) else None
