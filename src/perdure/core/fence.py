"""What a runner believed when it began: whatever it commits is checked against it."""

from dataclasses import dataclass

from perdure.core.chat import Chat, Status
from perdure.core.ids import ReplicaId, RunnerId


@dataclass(frozen=True, slots=True)
class Fence:
    """What a runner believed when it started its work. If the row says otherwise, the work is stale."""

    worker_id: ReplicaId
    runner_id: RunnerId
    status: Status
    history_version: int
    generation_attempt: int | None = None

    def holds(self, chat: Chat) -> bool:
        return (
            chat.worker_id == self.worker_id
            and chat.runner_id == self.runner_id
            and chat.status == self.status
            and chat.history_version == self.history_version
            and (self.generation_attempt is None or chat.generation_attempt == self.generation_attempt)
        )
