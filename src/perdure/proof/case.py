"""All that is known about a run, as the rules ask it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from perdure.proof.book import Book, Wrong
from perdure.proof.evidence import Evidence
from perdure.proof.ledger import Performed
from perdure.proof.witness import Witness


@dataclass(frozen=True, slots=True)
class Case:
    """What was asked for, what the database says, and what clients saw."""

    book: Book
    evidence: Evidence
    effects: Sequence[Performed]
    """What the ledger says."""
    witnesses: Sequence[Witness] = ()


Rule: TypeAlias = Callable[[Case], Iterable[Wrong]]
