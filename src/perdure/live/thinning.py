"""How much is shown of what tools print while they run: all of it at first, then as much as there is room for."""

from collections.abc import Callable

from perdure.core.timing import PROGRESS_AGAIN, Clock

PIECE = 64
"""What a part costs besides its text."""
TAIL = 4 * 1024
"""How much is kept of what could not be shown at once: its end matters most."""


class Allowance:
    """So many characters at once, and so many more each second, within a larger allowance if there is one."""

    __slots__ = ("_a_second", "_at_once", "_left", "_seen", "_within")

    def __init__(self, at_once: int, a_second: int, within: "Allowance | None" = None) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._within = within
        self._left: float = at_once
        self._seen: float | None = None

    def take(self, size: int, now: float) -> bool:
        """Take so much here and in the larger one, or nothing in either."""
        if self._room(now) < size or (self._within is not None and not self._within.take(size, now)):
            return False
        self._left -= size
        return True

    def _room(self, now: float) -> float:
        elapsed = 0.0 if self._seen is None else max(0.0, now - self._seen)
        self._seen = now
        self._left = min(self._at_once, self._left + elapsed * self._a_second)
        return self._left


def replica_allowance() -> Allowance:
    """For everything that runs on a replica."""
    return Allowance(8 * 1024 * 1024, 1024 * 1024)


def chat_allowance(replica: Allowance) -> Allowance:
    """For all calls of a chat at a time."""
    return Allowance(512 * 1024, 32 * 1024, replica)


def call_allowance(chat: Allowance) -> Allowance:
    return Allowance(128 * 1024, 8 * 1024, chat)


class Thinned:
    """Text that grows without end, shown as far as an allowance goes; of the rest its end, once there is room."""

    __slots__ = ("_allowance", "_clock", "_held", "_later", "_left_out", "_over", "_show", "_waiting")

    def __init__(
        self,
        allowance: Allowance,
        show: Callable[[str], None],
        clock: Clock,
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._allowance = allowance
        self._show = show
        self._clock = clock
        self._later = later
        self._held = ""
        self._left_out = 0
        self._waiting = False
        self._over = False

    def add(self, text: str) -> None:
        self._held += text
        if not self._shown() and len(self._held) > TAIL:
            self._left_out += len(self._held) - TAIL
            self._held = self._held[-TAIL:]
            self._shown()
        if self._held and not self._waiting:
            self._waiting = True
            self._later(PROGRESS_AGAIN.total_seconds(), self._look_again)

    def end(self) -> None:
        """Show no more: the whole is known now, or begins again."""
        self._over = True

    def _shown(self) -> bool:
        gap = f"\n[… {self._left_out} characters are not shown …]\n" if self._left_out else ""
        if self._over or not self._allowance.take(len(gap) + len(self._held) + PIECE, self._clock.monotonic()):
            return False
        self._show(gap + self._held)
        self._held, self._left_out = "", 0
        return True

    def _look_again(self) -> None:
        self._waiting = False
        if self._held and not self._over:
            self.add("")
