"""How long chats stood still after their driver was killed, and what else went wrong meanwhile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from perdure.core.timing import SEVERED_LEASE
from perdure.proof.checked_transcript import CheckedTranscript
from perdure.proof.evidence import ChangeRow
from perdure.proof.run_log import Fault, RunLog

FAILOVER_BAR = SEVERED_LEASE + timedelta(seconds=2)
_ON_ITS_WAY = 0.1
"""What a replica sent before it was killed is heard within this time."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """One chat, from the kill of its driver to the next thing that a client heard of it."""

    chat_id: UUID
    killed: float
    heard: float
    taken: float | None
    """When another replica took it; None if an edit or another kill came first."""
    beside: tuple[Fault, ...]
    """What else went wrong between the kill and what was heard."""

    @property
    def seconds(self) -> float:
        return self.heard - self.killed

    def __str__(self) -> str:
        taken = "never taken" if self.taken is None else f"taken after {self.taken - self.killed:.2f} s"
        faults = ", ".join(f"{each.kind} {each.target}".strip() for each in self.beside) or "nothing else"
        return f"{self.seconds:.2f} s, {taken}, beside {faults}, chat {self.chat_id}"


def standstills(
    log: RunLog, transcripts: Iterable[CheckedTranscript], changes: Iterable[ChangeRow]
) -> tuple[Standstill, ...]:
    """Every chat of a driver that was killed while it was watched, and that a client heard of again."""
    heard: dict[UUID, list[float]] = {}
    for transcript in transcripts:
        heard.setdefault(transcript.chat_id, []).extend(transcript.heard_at)
    taken: dict[UUID, list[float]] = {}
    for change in changes:
        if change.worker is not None and change.old_worker not in (None, change.worker):
            taken.setdefault(change.chat_id, []).append(change.at)
    found: list[Standstill] = []
    for chat_id, killed in log.watched:
        again = _first(heard.get(chat_id, ()), killed + _ON_ITS_WAY)
        if again is not None:
            beside = tuple(fault for fault in log.faults if killed < fault.at < again)
            takings = [moment for moment in taken.get(chat_id, ()) if moment < again]
            found.append(Standstill(chat_id, killed, again, _first(takings, killed), beside))
    return tuple(found)


def _first(moments: Sequence[float], after: float) -> float | None:
    return min((moment for moment in moments if moment > after), default=None)
