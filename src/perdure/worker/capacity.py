"""How many chats run here at the same time, and for whom: a place is reserved before the commit that needs it."""

from collections import Counter
from dataclasses import dataclass

from perdure.core.ids import RunnerId, UserId


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many chats run here at the same time. Stopping is always possible."""

    chats: int = 200
    per_user: int = 20


class Places:
    """One for each runner, from before its chat is taken until it ends. The only door to the capacity."""

    def __init__(self, capacity: Capacity) -> None:
        self.capacity = capacity
        self._held: dict[RunnerId, UserId | None] = {}
        self._users = Counter[UserId]()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def free(self) -> int:
        return self.capacity.chats - len(self._held)

    def free_for(self, user_id: UserId) -> bool:
        return self.free > 0 and self._users[user_id] < self.capacity.per_user

    def reserve(self, runner_id: RunnerId, user_id: UserId) -> bool:
        """Whether there was a place, which this runner now has."""
        if not self.free_for(user_id):
            return False
        self.insist(runner_id, user_id)
        return True

    def insist(self, runner_id: RunnerId, user_id: UserId | None = None) -> None:
        """A place although there may be none: for a chat that is to be stopped, or is here already."""
        if runner_id in self._held:
            return
        self._held[runner_id] = user_id
        if user_id is not None:
            self._users[user_id] += 1

    def release(self, runner_id: RunnerId) -> None:
        """The runner has ended, or there will be none."""
        user_id = self._held.pop(runner_id, None)
        if user_id is not None:
            self._users[user_id] -= 1
            if not self._users[user_id]:
                del self._users[user_id]
