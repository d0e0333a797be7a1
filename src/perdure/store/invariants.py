"""What must hold for the rows of any database of ours, asked as queries that find the exceptions."""

from dataclasses import dataclass
from uuid import UUID

from perdure.store.connection import Connection
from perdure.store.queries import query

INVARIANTS = {
    "valid_state": "Every chat is in a valid state.",
    "gapless_history": "Every history is numbered without a gap.",
    "revisions_seen": "No message is newer than its chat.",
    "queue_contents": "Every queue and its contents agree.",
    "living_owner": "Every owned chat has a living owner.",
    "driven": "Every chat that should be driven is.",
    "has_card": "Every chat can be listed.",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One chat for which something does not hold."""

    chat_id: UUID
    detail: str


async def violations(connection: Connection, invariant: str, *, limit: int = 10) -> tuple[Violation, ...]:
    """Some of the chats for which the invariant does not hold."""
    rows = await connection.fetch(query(f"invariants/{invariant}"), limit)
    return tuple(Violation(row["chat_id"], row["detail"]) for row in rows)
