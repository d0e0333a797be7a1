"""The keys that calls gave to workspaces, until a later step of their chat shows that their results are committed."""

from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.tasks import BoundedMap

# Chats beyond these are forgotten here; a workspace lets go of their keys by itself after 30 days.
_REMEMBERED = 10_000


class CallKeys:
    """Per chat and place, the keys of its newest step."""

    def __init__(self) -> None:
        self._steps = BoundedMap[tuple[ChatId, WorkspaceId, bool], tuple[int, set[str]]](_REMEMBERED)

    def use(self, chat_id: ChatId, place: tuple[WorkspaceId, bool], *, step: int, key: str) -> set[str]:
        """Note a key. The keys of the chat's earlier step come back: nobody will ask for them again."""
        where = (chat_id, *place)
        known, keys = self._steps.get(where) or (step, set[str]())
        newer = known < step
        self._steps.keep(where, (step, {key} if newer else {*keys, key}))
        return keys if newer else set()
