"""Whoever calls, and everything that they may reach: what a handler works with."""

from functools import cached_property
from uuid import UUID, uuid4, uuid5

from perdure.access.actor import Actor, ActorRows
from perdure.access.chats import Chats
from perdure.api.administration import Administration
from perdure.api.announcements import Announcements
from perdure.api.chat_changes import ChatChanges
from perdure.api.http import Call
from perdure.api.idempotency import Claim
from perdure.api.services import Services
from perdure.api.submission import Said, after_hooks, read_content
from perdure.api.wire.content import AnyContent
from perdure.config.config import Config
from perdure.config.hooks import HookEvent
from perdure.config.settings import Experiment
from perdure.core.card import ChatSource
from perdure.core.errors import InvalidInput, NoModel, NotFound, Validation
from perdure.core.ids import ChatId, ModelName

CLIENT_HEADER = "perdure-client"
"""In which a program says what it is."""


class Caller:
    """One signed-in caller, for the length of one request."""

    def __init__(
        self,
        services: Services,
        rows: ActorRows,
        call: Call,
        claim: Claim | None,
        *,
        source: ChatSource | None = None,
    ) -> None:
        self.services = services
        self.rows = rows
        self.call = call
        self._claim = claim
        self._source = source
        self.announcements = Announcements(services, rows.actor)

    @property
    def actor(self) -> Actor:
        return self.rows.actor

    @property
    def config(self) -> Config:
        return self.services.config

    @cached_property
    def administration(self) -> Administration:
        return Administration(self.rows, self.services.keyring)

    @cached_property
    def chats(self) -> Chats:
        return Chats(self.rows, self.services.machine, self.services.known_chats)

    @cached_property
    def changes(self) -> ChatChanges:
        return ChatChanges(self.chats, self.services, self.actor.user_id, self._claim)

    @property
    def source(self) -> ChatSource:
        """Where a chat comes from that this request begins."""
        if self._source is not None:
            return self._source
        if self.actor.session_id is not None:
            return ChatSource.PAGE
        return ChatSource.CLI if self.call.headers.get(CLIENT_HEADER) == ChatSource.CLI else ChatSource.API

    async def said(self, content: tuple[AnyContent, ...], chat_id: ChatId | None = None) -> Said:
        return await read_content(self.rows, content, chat_id)

    async def hooked(self) -> bool:
        """Whether somebody is asked about what people say."""
        return bool(await self.services.hooks.listening(self.actor.organisation_id, HookEvent.USER_PROMPT_SUBMIT))

    async def submitted(self, said: Said, chat_id: ChatId | None, *, begins: str = "") -> Said:
        return await after_hooks(self.services.hooks, self.actor, said, chat_id, begins=begins)

    async def experiment(self, experiment: Experiment) -> None:
        """A feature that is not switched on is not there."""
        if experiment not in (await self.config.settings(self.actor.organisation_id)).experiments:
            raise NotFound(f"This requires the experiment {experiment.value!r}, which is turned off.")

    async def model(self, name: ModelName | None) -> ModelName | None:
        """The name, if it is that of a model that chats may use."""
        if name is not None and await self.config.model(self.actor.organisation_id, name) is None:
            raise InvalidInput("The model cannot be used.", Validation("model", "is not known or not enabled"))
        return name

    async def answerable(self, *names: ModelName | None) -> None:
        """Refuse what no model could answer: neither one of these, nor the default."""
        for name in (*names, None):
            if await self.config.model(self.actor.organisation_id, name) is not None:
                return
        raise NoModel

    def made_id(self, what: str) -> UUID:
        """An id for something that is made on the way: the same again for a request that comes again."""
        if self._claim is None:
            return uuid4()
        return uuid5(self.actor.user_id, f"{what}:{self._claim.route.name}:{self._claim.key}")

    async def default_model(self) -> ModelName | None:
        """The name of the model that answers where none is chosen."""
        found = await self.config.model(self.actor.organisation_id, None)
        return None if found is None else found.name
