"""What the server may ask of the states that a workspace keeps of its files."""

import msgspec

from perdure.core.timing import SNAPSHOT_PATIENCE
from perdure.workspaces import wire
from perdure.workspaces.connection import Connection


class SnapshotTerms(msgspec.Struct, frozen=True):
    """What holds for every snapshot: its room, what is left out, and which chats act here, and which are at work."""

    quota: int
    ignore: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    chats: tuple[str, ...] | None = None


class SnapshotClient:
    """States of the tree: kept before and after turns, compared, and gone back to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def before(self, chat: str, turn: int, terms: SnapshotTerms) -> wire.TakenSnapshot:
        """Keep the files as they are before a turn changes them. A turn that has its snapshot takes none."""
        return await self._taken("before", chat, turn, terms)

    async def after(self, chat: str, turn: int, terms: SnapshotTerms) -> wire.TakenSnapshot:
        """What changes from here on is not the chat's. Where none of its turns is open, nothing happens."""
        return await self._taken("after", chat, turn, terms)

    async def changed(self, chat: str, turn: int, until: int | None, terms: SnapshotTerms) -> wire.Difference:
        """What a chat's turns changed, from one to another or to now."""
        return await self._difference(chat, turn, until, terms, back=False)

    async def preview(self, chat: str, turn: int, terms: SnapshotTerms) -> wire.Difference:
        """What going back to before a turn would do."""
        return await self._difference(chat, turn, None, terms, back=True)

    async def go_back(
        self, chat: str, turn: int, terms: SnapshotTerms, *, key: str, state: str | None = None, held: int | None = None
    ) -> wire.WentBack:
        """Put files back as they were before a turn, or as a snapshot holds them. Once per key."""
        fields = {"chat": chat, "turn": turn, "key": key, "state": state, "number": held}
        body = {**msgspec.structs.asdict(terms), **fields}
        return await self._connection.ask(
            wire.WentBack, "POST", "/v1/snapshots/back", body=body, wait=SNAPSHOT_PATIENCE
        )

    async def forget(self, terms: SnapshotTerms) -> None:
        """Let go of what is kept for chats that do not act here any more."""
        path, body = "/v1/snapshots/forget", msgspec.structs.asdict(terms)
        await self._connection.ask(dict[str, object], "POST", path, body=body, wait=SNAPSHOT_PATIENCE)

    async def _taken(self, kind: str, chat: str, turn: int, terms: SnapshotTerms) -> wire.TakenSnapshot:
        body = {**msgspec.structs.asdict(terms), "kind": kind, "chat": chat, "turn": turn}
        return await self._connection.ask(
            wire.TakenSnapshot, "POST", "/v1/snapshots", body=body, wait=SNAPSHOT_PATIENCE
        )

    async def _difference(
        self, chat: str, turn: int, until: int | None, terms: SnapshotTerms, *, back: bool
    ) -> wire.Difference:
        body = {**msgspec.structs.asdict(terms), "chat": chat, "turn": turn, "until": until, "back": back}
        path = "/v1/snapshots/difference"
        return await self._connection.ask(wire.Difference, "POST", path, body=body, wait=SNAPSHOT_PATIENCE)
