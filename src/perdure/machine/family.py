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
from perdure.machine.diagram import follow
from perdure.machine.transitions.lifecycle import SetArchived
from perdure.store.execution import Execution, Member, OutcomeUnknown

TRIES = 20


async def archive_family(execution: Execution, root_id: ChatId, *, archived: bool) -> list[Commit]:
    """All of them, or none: a member that cannot follow, or that is not a root's, raises."""
    change_id = ChangeId(uuid4())
    planned: list[Commit] = []
    for _ in range(TRIES):
        family = await execution.load_family(root_id, change_id)
        if planned and any(member.remembered for member in family):
            return planned
        planned = _planned(root_id, family, archived=archived)
        seen = [plan.base for plan in planned if plan.base is not None]
        try:
            moved = await execution.archive_family(seen, change_id, archived=archived)
        except OutcomeUnknown:
            continue
        if moved is not None:
            return [_completed(plan, change_id, moved[plan.chat.id]) for plan in planned]
    raise Unavailable("This chat and its agents are too busy to be archived now. Try again.")


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
