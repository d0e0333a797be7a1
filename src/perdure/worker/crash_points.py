"""Named places in the work where a process may die. Tests arm them; a running system passes by."""

from typing import Protocol


class CrashPoints(Protocol):
    def reached(self, name: str) -> None: ...


class NoCrashPoints:
    """Every place is safe."""

    def reached(self, name: str) -> None:
        pass
