"""A database with one owner of chats, and a machine on it."""

from dataclasses import dataclass
from uuid import uuid4

from perdure.core.commit import Commit
from perdure.core.ids import ChatId, UserId
from perdure.machine.machine import Machine
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.testing.chats import Chats


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything in the database about one chat."""

    chat: tuple[object, ...] | None
    messages: tuple[tuple[object, ...], ...]
    queued: tuple[tuple[object, ...], ...]
    card: tuple[object, ...] | None
    inbox: tuple[tuple[object, ...], ...]


class Place:
    """A database with one owner of chats, and everything that its machine announced."""

    def __init__(self, url: str, pool: Pool) -> None:
        self.url = url
        self.pool = pool
        self.announced: list[Commit] = []
        self.organisation_id, self.user_id = uuid4(), UserId(uuid4())
        self.machine = self.another_machine()
        self.chats = self.chats_of(self.machine)

    async def furnish(self) -> None:
        await self.pool.execute("INSERT INTO organisations (id, name) VALUES ($1, 'us')", self.organisation_id)
        await self.pool.execute(
            "INSERT INTO users (id, organisation_id, email) VALUES ($1, $2, $3)",
            self.user_id,
            self.organisation_id,
            f"{self.user_id}@example.com",
        )

    def another_machine(self, pool: "Pool | None" = None) -> Machine:
        return Machine(Execution(pool or self.pool), self.announced.append)

    def chats_of(self, machine: Machine) -> Chats:
        return Chats(machine, organisation_id=self.organisation_id, user_id=self.user_id)

    async def rows_of(self, chat_id: ChatId) -> Rows:
        chats, cards = await self._read("chats", "id", chat_id), await self._read("chat_cards", "id", chat_id)
        return Rows(
            next(iter(chats), None),
            await self._read("messages", "chat_id", chat_id),
            await self._read("queued_messages", "chat_id", chat_id),
            next(iter(cards), None),
            await self._read("inbox", "chat_id", chat_id),
        )

    async def _read(self, table: str, key: str, chat_id: ChatId) -> tuple[tuple[object, ...], ...]:
        rows = await self.pool.fetch(f"SELECT * FROM {table} WHERE {key} = $1 ORDER BY 1, 2", chat_id)  # noqa: S608
        return tuple(tuple(row.values()) for row in rows)
