"""The keys that calls gave to workspaces, until a later step of their chat shows that their results are committed."""

from collections import OrderedDict

from perdure.core.ids import ChatId, WorkspaceId

# Chats beyond these are forgotten here; a workspace lets go of their keys by itself after 30 days.
_REMEMBERED = 10_000


class CallKeys:
    """Per chat and place, the keys of its newest step."""

    def __init__(self) -> None:
        self._steps: OrderedDict[tuple[ChatId, WorkspaceId, bool], tuple[int, set[str]]] = OrderedDict()

    def use(self, chat_id: ChatId, place: tuple[WorkspaceId, bool], *, step: int, key: str) -> set[str]:
        """Note a key. The keys of the chat's earlier step come back: nobody will ask for them again."""
        where = (chat_id, *place)
        known, keys = self._steps.pop(where, (step, set[str]()))
        newer = known < step
        self._steps[where] = step, {key} if newer else {*keys, key}
        if len(self._steps) > _REMEMBERED:
            self._steps.popitem(last=False)
        return keys if newer else set()
