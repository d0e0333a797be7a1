"""Gates: named places where a scripted answer waits until a test lets it through, so that no test needs a sleep."""

import asyncio


class Gate:
    """Closed at first; whoever arrives waits until it is opened, or until one passage is granted."""

    def __init__(self) -> None:
        self.waiting = 0
        self.open = False
        self.passages = 0
        self._changed = asyncio.Condition()

    async def pass_through(self) -> None:
        """Wait for the gate."""
        async with self._changed:
            self.waiting += 1
            self._changed.notify_all()
            try:
                await self._changed.wait_for(lambda: self.open or self.passages > 0)
            finally:
                self.waiting -= 1
            self.passages -= 0 if self.open else 1

    async def reached(self, count: int = 1) -> None:
        """Wait until so many are waiting in front of it."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.waiting >= count)

    async def set(self, *, open: bool) -> None:  # noqa: A002
        """Open it for everyone from now on, or close it again."""
        async with self._changed:
            self.open = open
            self._changed.notify_all()

    async def grant(self, passages: int = 1) -> None:
        """Let so many through, then no more."""
        async with self._changed:
            self.passages += passages
            self._changed.notify_all()


class Gates:
    """Every gate anyone named, made when first named."""

    def __init__(self) -> None:
        self._gates: dict[str, Gate] = {}

    def __getitem__(self, name: str) -> Gate:
        return self._gates.setdefault(name, Gate())

    def states(self) -> dict[str, dict[str, int | bool]]:
        """What a test may want to see: who waits where."""
        return {name: {"open": gate.open, "waiting": gate.waiting} for name, gate in self._gates.items()}

    async def open_all(self) -> None:
        """Let everyone through and forget the gates."""
        gates, self._gates = self._gates, {}
        for gate in gates.values():
            await gate.set(open=True)
