"""What must hold for the rows of any database of ours, by name: in words, and as a query that finds the exceptions."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from perdure.store.scopes import Database
from perdure.store.tables import invariants
from perdure.store.tables.invariants import Violation


class Invariant(NamedTuple):
    text: str
    violations: Callable[[Database, int], Awaitable[list[Violation]]]
    """Some of the chats for which it does not hold."""


INVARIANTS: Mapping[str, Invariant] = {
    "valid_state": Invariant("Every chat is in a valid state.", invariants.valid_state),
    "gapless_history": Invariant("Every history is numbered without a gap.", invariants.gapless_history),
    "revisions_seen": Invariant("No message is newer than its chat.", invariants.revisions_seen),
    "queue_contents": Invariant("Every queue and its contents agree.", invariants.queue_contents),
    "living_owner": Invariant("Every owned chat has a living owner.", invariants.living_owner),
    "driven": Invariant("Every chat that should be driven is.", invariants.driven),
    "has_card": Invariant("Every chat can be listed.", invariants.has_card),
}
