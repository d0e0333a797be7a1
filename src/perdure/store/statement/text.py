"""SQL under construction, and what a piece of a statement is."""

from collections.abc import Callable, Hashable
from typing import Any

from perdure.core.commit import Commit

# The change's name, wherever it is written. The swap's first values are the same in every statement.
CHANGE = "$2::uuid"


class Text:
    """SQL under construction: named pieces, and what must be true of them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.outcome: list[str] = [
            "swap.updated_at",
            "swap.action_deadline_at",
            "swap.compaction_requested_at",
            "swap.line",
        ]
        self._count = 0

    def value(self) -> str:
        """The placeholder of the next value."""
        self._count += 1
        return f"${self._count}"

    def piece(self, name: str, sql: str) -> None:
        self.pieces.append(f"{name} AS ({sql})")

    def expect(self, name: str, what: str) -> None:
        """Undo everything unless the piece touched as many rows as the next value says."""
        self.outcome.append(f"expect((SELECT count(*) FROM {name}) = {self.value()}, '{what}')")

    def __str__(self) -> str:
        return f"WITH {', '.join(self.pieces)} SELECT {', '.join(self.outcome)} FROM swap"


Shape = Any
"""What the text of a piece depends on. None where the change does not need the piece."""
Bind = Callable[[Commit, list[object]], Hashable]
Render = Callable[[Text, Shape], None]
