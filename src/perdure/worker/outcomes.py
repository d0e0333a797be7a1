"""What a duty found, and what the runner carries from one duty to the next because of it."""

from dataclasses import dataclass, replace
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Committed:
    """The step, or the end of the turn, is in the database."""

    settled: bool = False
    """Whether what was owed is on the row now."""
    calls_of: int = 0
    """The message whose calls came with it: nobody can have started them yet."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Somebody stopped the turn or rewrote its history before there was a step. What was seen of it is paid for."""

    spent: int = 0


@dataclass(frozen=True, slots=True)
class Overflowed:
    """The provider refused the prompt of this history for its size."""

    history_version: int
    spent: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """The attempt failed, and the row says how it goes on."""

    spent: int = 0
    overloaded: bool = False


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Nothing came of it, and nothing stands against another try."""


Outcome = Committed | Interrupted | Overflowed | Failed | Unanswered


@dataclass(frozen=True, slots=True)
class Carried:
    """What a runner knows that is not on the row."""

    owed: int = 0
    """What attempts cost that brought no step. The next commit puts it on the row."""
    overloads: int = 0
    """How many attempts in a row met an overloaded provider."""
    overflowed_at: int | None = None
    """The version of the history whose prompt was refused for its size."""
    calls_of: int = 0
    """The message whose calls this runner brought and nobody can have started yet."""

    def after(self, outcome: Outcome) -> "Carried":
        match outcome:
            case Committed(settled, calls_of):
                return Carried(owed=0 if settled else self.owed, calls_of=calls_of)
            case Interrupted(spent):
                return replace(self, owed=self.owed + spent)
            case Overflowed(version, spent):
                return replace(self, owed=self.owed + spent, overflowed_at=version)
            case Failed(spent, overloaded):
                overloads = self.overloads + 1 if overloaded else 0
                return replace(self, owed=self.owed + spent, overloads=overloads)
            case Unanswered():
                return self
            case _:
                assert_never(outcome)
