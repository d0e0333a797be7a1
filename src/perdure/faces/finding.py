"""Which chat a request belongs to: by a key of the front end, or by what was said before."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID, uuid5

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.core.errors import ChatNotFound
from perdure.core.ids import ChatId, UserId
from perdure.core.message import Role
from perdure.faces.asked import Asked, own_tools
from perdure.faces.conversation import Entry, common, entries_of
from perdure.store.tables import chats, messages

LABEL = "openai"
"""The label of chats whose client has no name for them: a digest of how they begin."""
_CANDIDATES = 20


class Finding:
    """Looks for the chat that a request goes on in."""

    def __init__(self, caller: Caller, asked: Asked) -> None:
        self._caller = caller
        self._asked = asked

    async def chat(self) -> tuple[Seen, list[Entry]] | None:
        """The chat that the request goes on in, as the client knows it."""
        theirs = self._asked.entries
        if self._asked.key is not None:
            with suppress(ChatNotFound):
                seen = await self._caller.chats.shared(self._asked.key)
                ours = await self._known(seen)
                # Front ends ask for titles and tags under the same key: such a question edits nothing.
                if common(ours, theirs) or self._asked.joins:
                    return seen, ours
                return await self._alike(theirs)
            return None
        return await self._alike(theirs)

    async def _alike(self, theirs: Sequence[Entry]) -> tuple[Seen, list[Entry]] | None:
        """The chat that has most in common with the request: at least a question and its answer."""
        if all(entry.role is Role.USER for entry in theirs):
            return None
        best: tuple[Seen, list[Entry]] | None = None
        shared = 1
        for found in await chats.beginning_alike(self._caller.rows, self.labels[LABEL], _CANDIDATES):
            seen = await self._caller.chats.read(found)
            ours = await self._known(seen)
            if common(ours, theirs) > shared:
                best, shared = (seen, ours), common(ours, theirs)
        return best

    async def free_key(self) -> ChatId | None:
        """The key, unless a chat has it that the request does not go on in."""
        key = self._asked.key
        if key is None:
            return None
        try:
            await self._caller.chats.read(key)
        except ChatNotFound:
            return key
        return None

    async def _known(self, seen: Seen) -> list[Entry]:
        return entries_of(await messages.visible(self._caller.rows, seen.chat.id), own_tools(seen))

    @property
    def labels(self) -> dict[str, str]:
        first = next((given for given in self._asked.given if given.entry.role is Role.USER), None)
        text = f"{self._asked.user}\0{' '.join(first.entry.text.split()) if first else ''}"
        return {LABEL: hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]}


def keyed_chat(user_id: UserId, key: str) -> ChatId:
    """The chat that somebody's front end means by a key of its own: the same whoever asks twice, or on any replica."""
    return ChatId(uuid5(user_id, key))


PAGE = "page"
"""What a thread's name is a name in, for every protocol that pages speak: begun in one, it goes on in another."""


async def chat_meant(caller: Caller, kind: str, name: str) -> tuple[ChatId, Seen | None]:
    """The chat that a page means: by a name that it made up, or by the id of a chat that is there already."""
    keyed = keyed_chat(caller.actor.user_id, f"{kind}:{name}")
    for chat_id in (keyed, _uuid(name)):
        if chat_id is not None:
            with suppress(ChatNotFound):
                return chat_id, await caller.chats.read(chat_id)
    return keyed, None


def _uuid(text: str) -> ChatId | None:
    try:
        return ChatId(UUID(text))
    except ValueError:
        return None
