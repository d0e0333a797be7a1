"""The files of chats, turn by turn: how they were is kept before a turn changes them, and they go back when asked."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

from perdure.core.errors import PerdureError, Refused, WorkspaceRefused
from perdure.core.ids import ChatId, OrganisationId
from perdure.core.tasks import BackgroundTasks, BoundedMap, every
from perdure.core.timing import HOUSEKEEPING_PERIOD, Clock
from perdure.core.timing import SNAPSHOT_AT_END as ENDS_WITHIN
from perdure.store.pool import Pool
from perdure.store.tables import workspaces
from perdure.store.tables.workspaces import ActingRoot, WorkspaceRow
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.copying import Before
from perdure.workspaces.service import Workspaces
from perdure.workspaces.snapshots import SnapshotTerms
from perdure.workspaces.wire import Difference, LeftOut, WentBack

_log = logging.getLogger(__name__)
_REMEMBERED = 10_000
MOST_AT_ONCE = 20

NOT_KEPT = "The files cannot go back to before this turn: {why}."
LEFT_OUT = "Not every file can go back: {what}."
REASONS = {
    "special": ("1 socket, pipe or device", "{} sockets, pipes or devices"),
    "unreadable": ("1 that cannot be read", "{} that cannot be read"),
    "too_large": ("1 larger than half the room for snapshots", "{} larger than half the room for snapshots"),
    "too_deep": ("1 folder that is too deep", "{} folders that are too deep"),
    "moving": ("1 that changed while it was read", "{} that changed while they were read"),
}
OTHERS = ("1 other", "{} others")
NO_ROOM = "No room is set aside for earlier states of files (the setting snapshots), so files cannot go back."
NO_WORKSPACE = "The chat has no workspace, so no files can go back."


class Room(NamedTuple):
    """How many bytes the earlier states of a workspace's files may take, and what is left out."""

    quota: int
    ignore: tuple[str, ...]


class KeptTurn(NamedTuple):
    """The last turn of a chat that the files were kept before, or were to be; and of its root, where they are kept."""

    turn: int
    incarnation: str
    home: ChatId
    of_home: int


class ChatFiles:
    """Asks workspaces for snapshots: once a turn, before the first call that may change something."""

    def __init__(
        self, pool: Pool, where: Workspaces, room: Callable[[OrganisationId], Awaitable[Room]], clock: Clock
    ) -> None:
        self._clock = clock
        self._pool = pool
        self._workspaces = where
        self._room = room
        self._kept = BoundedMap[ChatId, KeptTurn](_REMEMBERED)
        self._words = BoundedMap[ChatId, str](_REMEMBERED)
        self._said = BoundedMap[ChatId, str](_REMEMBERED)
        self._tasks = BackgroundTasks(_log)

    async def before(self, chat: ChatId, turn: int, home: ChatId, client: WorkspaceClient) -> None:
        """Keep the files as they are before a chat's turn changes them. Where that fails the turn goes on."""
        known = self._kept.get(chat)
        if known is not None and (known.turn, known.incarnation) == (turn, client.incarnation):
            return
        row = await self._workspaces.of_chat(home)
        if row is None:
            return
        of_home, terms = await self._terms(home, row)
        try:
            taken = await client.snapshots.before(str(home), of_home, terms)
            if taken.taken:
                await workspaces.keep_files(self._pool, row.id, home)
            self._word(home, LEFT_OUT.format(what=left_out(taken.left_out)) if taken.left_out else "")
        except WorkspaceRefused as refusal:
            self._word(home, NOT_KEPT.format(why=str(refusal).rstrip(".")))
        self._kept.keep(home, KeptTurn(of_home, client.incarnation, home, of_home))
        self._kept.keep(chat, KeptTurn(turn, client.incarnation, home, of_home))

    async def before_foreign(self, chat: ChatId, turn: int, home: ChatId) -> None:
        """The same before a call of somebody else's tool, which may change files or not."""
        row = await self._workspaces.of_chat(home)
        if row is not None and row.status == "running":
            try:
                await self.before(chat, turn, home, await self._workspaces.client(row))
            except PerdureError as error:
                _log.info("the files of chat %s are not kept before a call: %s", home, error)

    def unsaid(self, home: ChatId) -> str:
        """What people are to be told about it, once."""
        return self._words.drop(home) or ""

    async def ends(self, chat: ChatId) -> None:
        """A chat's turn is about to end by itself: what changes from now on is not its own."""
        known = self._kept.get(chat)
        if known is not None:
            try:
                async with asyncio.timeout(ENDS_WITHIN.total_seconds()):
                    await self._after(known, ending=True)
            except TimeoutError:
                _log.info("what the last turn of chat %s changed is noted when it rests", known.home)

    def rests(self, chat: ChatId) -> None:
        """The same of a chat that came to rest in another way. Nobody waits for that to be noted."""
        known = self._kept.get(chat)
        if known is not None:
            self._tasks.start(self._after(known, ending=False), "noting what a turn changed")

    async def run(self) -> None:
        """Have states of files end with their chats, also in workspaces that nobody uses any more."""
        report = partial(_log.warning, "states of files are let go of later: %s")
        await every(HOUSEKEEPING_PERIOD, self.let_go, self._clock, expected=(PerdureError,), report=report)

    async def let_go(self) -> None:
        for row in await workspaces.outliving(self._pool, MOST_AT_ONCE):
            try:
                await self._let_go(row)
            except (PerdureError, OSError) as error:
                _log.info("workspace %s keeps states of files for chats that are gone: %s", row.id, error)

    async def _let_go(self, row: WorkspaceRow) -> None:
        acting = await workspaces.acting_roots(self._pool, row.id)
        client = await self._workspaces.client(row)
        await client.snapshots.forget(_terms(await self._room(row.organisation_id), acting))
        await workspaces.let_go(self._pool, row.id, [chat.id for chat in acting])
        if row.status == "stopped":
            await self._workspaces.stop(row, why="idle")

    async def settled(self) -> None:
        await self._tasks.settled()

    async def preview(self, home: ChatId, turn: int) -> Difference:
        """What putting files back to before a turn would do, and what forbids it."""
        row, client = await self._client(home)
        terms = await self._roomy(home, row)
        return await client.snapshots.preview(str(home), turn, terms)

    async def as_before(self, home: ChatId, turn: int, state: str | None) -> Before:
        """What a copy is to have of the chat's files, to be as they were before a turn."""
        row, _ = await self._client(home)
        terms = await self._roomy(home, row)
        return Before(str(home), turn, state, terms)

    async def changed(self, home: ChatId, turn: int, until: int | None) -> Difference:
        """What the chat's turns changed."""
        row, client = await self._client(home)
        _, terms = await self._terms(home, row)
        return await client.snapshots.changed(str(home), turn, until, terms)

    async def go_back(self, home: ChatId, turn: int, *, key: str, state: str | None) -> WentBack:
        row, client = await self._client(home)
        terms = await self._roomy(home, row)
        return await client.snapshots.go_back(str(home), turn, terms, key=key, state=state)

    async def take_back(self, home: ChatId, turn: int, went: WentBack, *, key: str) -> None:
        """Undo that files went back: what it was for did not happen. What cannot be undone is logged."""
        if went.held is None:
            return
        try:
            row, client = await self._client(home)
            _, terms = await self._terms(home, row)
            await client.snapshots.go_back(str(home), turn, terms, key=key, held=went.held)
        except PerdureError as error:
            _log.warning("files of chat %s went back although the chat did not: %s", home, error)

    async def _client(self, home: ChatId) -> tuple[WorkspaceRow, WorkspaceClient]:
        row = await self._workspaces.of_chat(home)
        if row is None:
            raise Refused(NO_WORKSPACE)
        return row, await self._workspaces.client(row)

    async def _after(self, known: KeptTurn, *, ending: bool) -> None:
        row = await self._workspaces.of_chat(known.home)
        if row is None:
            return
        acting = await workspaces.acting_roots(self._pool, row.id)
        home = next((chat for chat in acting if chat.id == known.home), None)
        if home is None or home.agents or (home.busy and not ending and home.turn == known.of_home):
            # An agent of it is still at work, and rests later; or the chat goes on.
            return
        try:
            client = await self._workspaces.client(row)
            terms = _terms(await self._room(row.organisation_id), acting)
            await client.snapshots.after(str(known.home), known.of_home, terms)
            self._kept.drop(known.home)
        except PerdureError as error:
            _log.info("what the last turn of chat %s changed is not noted: %s", known.home, error)

    async def _terms(self, home: ChatId, row: WorkspaceRow) -> tuple[int, SnapshotTerms]:
        """The turn that the chat is in, and what holds for snapshots of its workspace."""
        acting = await workspaces.acting_roots(self._pool, row.id)
        turn = next((chat.turn for chat in acting if chat.id == home), 0)
        return turn, _terms(await self._room(row.organisation_id), acting)

    async def _roomy(self, home: ChatId, row: WorkspaceRow) -> SnapshotTerms:
        """What holds where files are to go back. Without room nobody may believe that they did."""
        _, terms = await self._terms(home, row)
        if terms.quota <= 0:
            raise Refused(NO_ROOM)
        return terms

    def _word(self, home: ChatId, text: str) -> None:
        """The same is not said twice in a row."""
        if text and self._said.get(home) != text:
            self._words.keep(home, text)
        self._said.keep(home, text)


def _terms(room: Room, acting: Sequence[ActingRoot]) -> SnapshotTerms:
    busy = tuple(str(chat.id) for chat in acting if chat.busy)
    return SnapshotTerms(room.quota, room.ignore, busy, tuple(str(chat.id) for chat in acting))


def left_out(found: dict[str, LeftOut]) -> str:
    """What is in no snapshot, in words."""
    told = [
        f"{REASONS.get(why, OTHERS)[each.count > 1].format(each.count)} ({', '.join(each.paths[:3])})"
        for why, each in sorted(found.items())
    ]
    return "; ".join(told)
