"""Telling everyone what was committed: this process in full, other replicas by a hint."""

from collections.abc import Callable

from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit
from perdure.core.notice import Notice, Topic
from perdure.store.pubsub import Pubsub

_RUNNABLE = frozenset({Status.RUNNING, Status.INTERRUPTING})


def notices_of(chat: Chat) -> tuple[Notice, ...]:
    """What others need to hear of a chat's new row."""
    moved = Notice(Topic.CHAT, chat.id, chat.snapshot_version)
    if chat.status in _RUNNABLE and not chat.owned:
        return moved, Notice(Topic.WAKE, chat.id, chat.snapshot_version)
    return (moved,)


class Announcer:
    """Publishes every commit. Followers in this process get the change itself, so that they need not read it."""

    def __init__(self, pubsub: Pubsub) -> None:
        self._pubsub = pubsub
        self._followers: list[Callable[[Commit], None]] = []

    def __call__(self, committed: Commit) -> None:
        for follower in tuple(self._followers):
            follower(committed)
        self._pubsub.publish(notices_of(committed.chat))

    def follow(self, follower: Callable[[Commit], None]) -> Callable[[], None]:
        """Call the follower for every change that this process commits; the result stops that."""
        self._followers.append(follower)
        return lambda: self._followers.remove(follower)
