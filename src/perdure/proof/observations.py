"""All that is known about a run, as the rules ask it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from perdure.proof.checked_transcript import CheckedTranscript
from perdure.proof.cluster import Stray
from perdure.proof.evidence import Evidence
from perdure.proof.ledger import Performed
from perdure.proof.run_log import RunLog, Violation


@dataclass(frozen=True, slots=True)
class Observations:
    """What was asked for, what the database says, and what clients saw."""

    log: RunLog
    evidence: Evidence
    effects: Sequence[Performed]
    """What the ledger says."""
    transcripts: Sequence[CheckedTranscript] = ()
    late: timedelta = timedelta(0)
    """How late the address of a database follows that moved."""
    strays: Sequence[Stray] = ()
    """Who used a server that takes no writes when nobody should any more."""


Rule: TypeAlias = Callable[[Observations], Iterable[Violation]]
