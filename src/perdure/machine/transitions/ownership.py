"""Who drives a chat. Orthogonal to what the chat does."""

from msgspec import Struct

from perdure.core.chat import Chat
from perdure.core.ids import ReplicaId
from perdure.machine.change import ALL_MARKERS, Change, Owner
from perdure.machine.transitions.refusal import refuse


class Acquire(Struct, frozen=True):
    """Take a chat from nobody, or from a replica that was seen expired by the database's clock."""

    owner: Owner
    expected: ReplicaId | None = None

    def plan(self, chat: Chat) -> Change:
        if chat.worker_id != self.expected:
            raise refuse(self, chat, "Another replica drives this chat.")
        return Change(owner=self.owner, keeps=ALL_MARKERS)


class Abandon(Struct, frozen=True):
    """Let go of a chat. Its state stays as it is."""

    def plan(self, chat: Chat) -> Change:
        if not chat.owned:
            raise refuse(self, chat, "Nobody drives this chat.")
        return Change(owner=None, keeps=ALL_MARKERS)
