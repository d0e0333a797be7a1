"""Whoever calls, and everything that they may reach: what a handler works with."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar
from uuid import UUID, uuid4, uuid5

from perdure.access.actor import Actor
from perdure.access.chats import Chats, Seen
from perdure.access.login_setup import LoginSetup
from perdure.access.people import Groups, People, Tokens
from perdure.access.rows import ActorRows
from perdure.api.http import Call
from perdure.api.idempotency import Claim
from perdure.api.local_worker import LocalStart
from perdure.api.reply import Outcome, Reply
from perdure.api.services import Services
from perdure.api.wire.content import AnyContent, FileContent, FileReferenceContent, TextContent, check
from perdure.config.admin import Configuration, ModelConfiguration
from perdure.config.config import Config
from perdure.config.hook_admin import HookConfiguration
from perdure.config.mcp_admin import McpServers
from perdure.config.settings import Experiment
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ChatId, FileId, MessageNumber, ModelName, WorkspaceId
from perdure.core.notice import Notice, Topic
from perdure.core.parts import AnyPart, File, FileReference, Text
from perdure.machine.diagram import follow
from perdure.machine.transitions import Transition
from perdure.machine.transitions.messages import EditMessage, Target
from perdure.store.commit import NewCard
from perdure.tools.hooks.speech import Subject
from perdure.tools.hooks.submission import submitted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says: its parts, and the files that come into the chat with it."""

    parts: tuple[AnyPart, ...]
    files: tuple[FileId, ...] = ()


class Caller:
    """One signed-in caller, for the length of one request."""

    def __init__(self, services: Services, rows: ActorRows, call: Call, claim: Claim | None) -> None:
        self.services = services
        self.rows = rows
        self.call = call
        self._claim = claim
        self.afterwards: list[Callable[[], None]] = []
        """What to do once everything is committed, such as telling other replicas."""

    @property
    def actor(self) -> Actor:
        return self.rows.actor

    @property
    def config(self) -> Config:
        return self.services.config

    @cached_property
    def chats(self) -> Chats:
        return Chats(self.rows, self.services.machine)

    @cached_property
    def people(self) -> People:
        return People(self.rows)

    @cached_property
    def groups(self) -> Groups:
        return Groups(self.rows)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.rows)

    @cached_property
    def login_setup(self) -> LoginSetup:
        return LoginSetup(self.rows, self.services.keyring)

    @cached_property
    def configuration(self) -> Configuration:
        return Configuration(self.rows, self.services.keyring)

    @cached_property
    def model_configuration(self) -> ModelConfiguration:
        return ModelConfiguration(self.rows)

    @cached_property
    def hook_configuration(self) -> HookConfiguration:
        return HookConfiguration(self.rows, self.services.keyring)

    @cached_property
    def mcp_servers(self) -> McpServers:
        return McpServers(self.rows, self.services.keyring)

    def rights_changed(self) -> None:
        """Somebody's rights changed: they are looked up again, once this is committed."""
        self.afterwards.append(self.services.entrance.forget)

    def card_changed(self, chat_id: ChatId, metadata_version: int) -> None:
        """A chat's card moved: those who follow it are told, once this is committed."""
        notice = Notice(Topic.CHAT, chat_id, metadata_version=metadata_version)
        self.afterwards.append(lambda: self.services.pubsub.publish([notice]))

    def chat_deleted(self, chat_id: ChatId) -> None:
        notice = Notice(Topic.CHAT, chat_id, name="deleted")
        self.afterwards.append(lambda: self.services.pubsub.publish([notice]))

    def chat_read(self, chat_id: ChatId) -> None:
        """Somebody read a chat: their other windows are told."""
        notice = Notice(Topic.CHAT, chat_id, name="read")
        self.afterwards.append(lambda: self.services.pubsub.publish([notice]))

    def inbox_changed(self) -> None:
        notice = Notice(Topic.INBOX, name=str(self.actor.user_id))
        self.afterwards.append(lambda: self.services.pubsub.publish([notice]))

    def config_changed(self) -> None:
        self.afterwards.append(lambda: self.config.changed(self.actor.organisation_id))

    def personal_config_changed(self) -> None:
        self.afterwards.append(lambda: self.config.changed_personal(self.actor.user_id))

    async def create(
        self, chat_id: ChatId, card: NewCard, transition: Transition, *, answer: Callable[[Outcome], T]
    ) -> T:
        """Bring a chat into being. If it runs and there is room, a worker of this replica takes it."""
        reply = self._reply(answer)
        created = follow(None, (transition,), chat_id=chat_id).chat
        with self._taking() as taking:
            transitions = (transition, *taking.acquiring(created))
            committed = await self.chats.create(chat_id, card, transitions, reply.request)
            taking.done(committed)
        return reply.of(committed)

    async def follow(self, seen: Seen, *transitions: Transition, answer: Callable[[Outcome], T]) -> T:
        """Follow arrows in a chat of the caller's own; a worker of this replica takes what comes to run."""
        reply = self._reply(answer)
        with self._taking() as taking:
            committed = await self.chats.advance(seen, taking.bundle(transitions), reply.request)
            taking.done(committed, seen.turn_card)
        return reply.of(committed)

    async def edit(
        self,
        seen: Seen,
        number: MessageNumber,
        edit: Callable[[Target], EditMessage],
        *,
        answer: Callable[[Outcome], T],
    ) -> T:
        """Replace a message, which is read together with the chat."""
        reply = self._reply(answer)
        with self._taking() as taking:
            committed = await self.chats.edit(
                seen, number, lambda target: taking.bundle((edit(target),)), reply.request
            )
            taking.done(committed)
        return reply.of(committed)

    def _reply(self, answer: Callable[[Outcome], T]) -> Reply[T]:
        return Reply(answer, self._claim, self.actor.user_id, self.services.clock)

    def _taking(self) -> LocalStart:
        return LocalStart(self.services.local_worker, self.actor.user_id)

    async def said(self, content: tuple[AnyContent, ...], chat_id: ChatId | None = None) -> Said:
        """What the caller says, with the files that are theirs and that the chat does not hold yet."""
        check(content)
        wanted = [part.file_id for part in content if isinstance(part, FileContent)]
        rows = await self.rows.all("files/usable", wanted, chat_id) if wanted else []
        files = {row["id"]: File(str(row["id"]), row["name"], row["media_type"]) for row in rows}
        parts = tuple(_part(part, index, files) for index, part in enumerate(content))
        held = {row["id"] for row in rows if row["held"]}
        return Said(parts, tuple(FileId(file_id) for file_id in dict.fromkeys(wanted) if file_id not in held))

    async def submitted(self, said: Said, chat_id: ChatId | None, *, begins: str = "") -> Said:
        """What the caller says, as the organisation's hooks leave it. Nothing is stored yet."""
        actor = self.actor
        subject = Subject(organisation_id=actor.organisation_id, owner_id=actor.user_id, chat_id=chat_id)
        return Said(await submitted(self.services.hooks, subject, said.parts, begins=begins), said.files)

    async def experiment(self, experiment: Experiment) -> None:
        """A feature that is not switched on is not there."""
        if experiment not in (await self.config.settings(self.actor.organisation_id)).experiments:
            raise NotFound(f"This needs the experiment {experiment.value!r}, which is not switched on.")

    async def workspace(self, workspace_id: WorkspaceId | None) -> WorkspaceId | None:
        """The id, if it is that of a workspace of the caller's own."""
        if workspace_id is not None and await self.rows.one("workspaces/read", workspace_id) is None:
            raise NotFound("There is no such workspace.")
        return workspace_id

    def made_id(self, what: str) -> UUID:
        """An id for something that is made on the way: the same again for a request that comes again."""
        if self._claim is None:
            return uuid4()
        return uuid5(self.actor.user_id, f"{what}:{self._claim.route.name}:{self._claim.key}")

    async def model(self, name: ModelName | None) -> ModelName | None:
        """The name, if it is that of a model that chats may use."""
        if name is not None and await self.config.model(self.actor.organisation_id, name) is None:
            raise InvalidInput("The model cannot be used.", Validation("model", "is not known or not enabled"))
        return name


def _part(part: AnyContent, index: int, files: dict[UUID, File]) -> AnyPart:
    match part:
        case TextContent(text=text):
            return Text(text)
        case FileReferenceContent():
            return FileReference(part.file_name, part.start_line, part.end_line, part.content)
        case FileContent(file_id=file_id):
            if file_id not in files:
                raise InvalidInput("There is no such file.", Validation(f"content[{index}].file_id", "is not known"))
            return files[file_id]
