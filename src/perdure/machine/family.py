"""Putting a root chat away with all its descendants, or bringing them back: the one change of several chats."""

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from msgspec.structs import replace

from perdure.core.card import CardChange
from perdure.core.chat import Chat, State
from perdure.core.commit import Commit
from perdure.core.errors import ChatNotFound, InvalidState, NotRoot, Unavailable
from perdure.core.ids import ChangeId, ChatId
from perdure.core.tasks import Backoff
from perdure.core.timing import COMMIT_PATIENCE, COMMIT_RETRY_LONGEST, DATABASE_RETRY_FIRST, Clock
from perdure.machine.following import follow
from perdure.machine.transitions import SetArchived
from perdure.store.execution import Execution, Member

TRIES = 20
_PATIENCE = COMMIT_PATIENCE.total_seconds()


async def archive_family(execution: Execution, root_id: ChatId, clock: Clock, *, archived: bool) -> list[Commit]:
    """All of them, or none: a member that cannot follow, or that is not a root's, raises."""
    attempt = _Archiving(execution, root_id, archived=archived)
    backoff, until = Backoff(DATABASE_RETRY_FIRST, COMMIT_RETRY_LONGEST), clock.monotonic() + _PATIENCE
    while attempt.left:
        try:
            if (done := await attempt.once()) is not None:
                return done
        except Unavailable:
            # Before anything was sent there is nothing to find out.
            if not attempt.planned or clock.monotonic() >= until:
                raise
            await backoff.wait(clock)
    raise Unavailable("This chat and its agents are too busy to be archived now. Try again.")


class _Archiving:
    """One change of a family, by tries that share a name: whichever of them went through is recognised."""

    def __init__(self, execution: Execution, root_id: ChatId, *, archived: bool) -> None:
        self._execution = execution
        self._root_id = root_id
        self._archived = archived
        self._change_id = ChangeId(uuid4())
        self.planned: list[Commit] = []
        self.left = TRIES
        """How often others may still be in the way."""

    async def once(self) -> list[Commit] | None:
        """None where one of the family moved meanwhile."""
        family = await self._execution.load_family(self._root_id, self._change_id)
        if self.planned and any(member.remembered for member in family):
            return self.planned
        self.planned = _planned(self._root_id, family, archived=self._archived)
        seen = [plan.base for plan in self.planned if plan.base is not None]
        moved = await self._execution.archive_family(seen, self._change_id, archived=self._archived)
        if moved is None:
            self.left -= 1
            return None
        return [_completed(plan, self._change_id, moved[plan.chat.id]) for plan in self.planned]


def _planned(root_id: ChatId, family: Sequence[Member], *, archived: bool) -> list[Commit]:
    root = next((member for member in family if member.chat.id == root_id), None)
    if root is None:
        raise ChatNotFound
    if root.child:
        raise NotRoot
    # The root is asked first, and its refusal is the one that is told.
    others = [member.chat for member in family if member is not root]
    return [follow(root.chat, [SetArchived(archived)]), *(_plan(chat, archived=archived) for chat in others)]


def _plan(chat: Chat, *, archived: bool) -> Commit:
    if chat.state is State.INVALID:
        raise InvalidState
    if chat.archived == archived:
        # It is there already. Its snapshot moves with the family's.
        return Commit(base=chat, chat=replace(chat, snapshot_version=chat.snapshot_version + 1), card=CardChange())
    return follow(chat, [SetArchived(archived)])


def _completed(plan: Commit, change_id: ChangeId, at: datetime) -> Commit:
    return replace(plan, chat=replace(plan.chat, change_id=change_id, updated_at=at), change_id=change_id)
