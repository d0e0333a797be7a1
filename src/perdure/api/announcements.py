"""What others are told once a request is committed: other replicas, and whoever follows."""

from collections.abc import Callable

from perdure.access.actor import Actor
from perdure.api.services import Services
from perdure.core.ids import ChatId
from perdure.core.notice import (
    DELETED,
    SCHEDULES_CHANGED,
    SHARES_CHANGED,
    TRIGGERS_CHANGED,
    WEBHOOKS_CHANGED,
    Notice,
    Topic,
)
from perdure.core.presence import Sign, written


class Announcements:
    """Collected while a request is handled, made when everything is committed."""

    def __init__(self, services: Services, actor: Actor) -> None:
        self._services = services
        self._actor = actor
        self._due: list[Callable[[], None]] = []

    def make(self) -> None:
        for announce in self._due:
            announce()

    def rights_changed(self) -> None:
        """Somebody's rights changed: they are looked up again."""
        self._due.append(self._services.authentication.forget)

    def card_changed(self, chat_id: ChatId, metadata_version: int) -> None:
        """A chat's card moved: those who follow it are told."""
        self._notice(Notice(Topic.CHAT, chat_id, metadata_version=metadata_version))

    def chat_deleted(self, chat_id: ChatId) -> None:
        self._notice(Notice(Topic.CHAT, chat_id, name=DELETED))

    def chat_read(self, chat_id: ChatId) -> None:
        """Somebody read a chat: their other windows are told."""
        self._notice(Notice(Topic.CHAT, chat_id, name="read"))

    def shares_changed(self, chat_id: ChatId) -> None:
        """Somebody may do less in a chat, or more: streams of those who may not read it end."""
        self._notice(Notice(Topic.CHAT, chat_id, name=SHARES_CHANGED))

    def typing(self, chat_id: ChatId, *, typing: bool) -> None:
        """Somebody writes a message, or stopped writing it."""
        sign = Sign("", typist=self._actor.author, typing=typing)
        self._notice(Notice(Topic.PRESENCE, chat_id, name=written(sign)))

    def inbox_changed(self) -> None:
        self._notice(Notice(Topic.INBOX, name=str(self._actor.user_id)))

    def schedules_changed(self) -> None:
        """Something may be due earlier than anybody looks."""
        self._notice(Notice(Topic.CONFIG, name=SCHEDULES_CHANGED))

    def triggers_changed(self) -> None:
        """Something was delivered that is to begin a chat."""
        self._notice(Notice(Topic.CONFIG, name=TRIGGERS_CHANGED))

    def webhooks_changed(self) -> None:
        """Somebody wants to be told something, or nothing any more, or once more."""
        self._notice(Notice(Topic.CONFIG, name=WEBHOOKS_CHANGED))

    def config_changed(self) -> None:
        self._due.append(lambda: self._services.config.changed(self._actor.organisation_id))

    def personal_config_changed(self) -> None:
        self._due.append(lambda: self._services.config.changed_personal(self._actor.user_id))

    def _notice(self, notice: Notice) -> None:
        self._due.append(lambda: self._services.pubsub.publish([notice]))
