"""A terminal with somebody at it: what a command shows there, and what is typed."""

import asyncio
import os
import pty
import tty
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

PATIENCE = 60


class Terminal:
    """Reads what is shown, and waits for words in it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._more = asyncio.Event()
        self._read = 0
        self._decoder = getincrementaldecoder("utf8")(errors="replace")
        self.shown = ""

    def look(self) -> None:
        try:
            self.shown += self._decoder.decode(os.read(self._descriptor, 65_536))
        except OSError:
            # The command has left the terminal.
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._more.set()

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    async def sees(self, words: str) -> str:
        """Wait until the words are shown, after those of the last time. What came up to them."""
        async with asyncio.timeout(PATIENCE):
            while (place := self.shown.find(words, self._read)) < 0:
                self._more.clear()
                await self._more.wait()
        seen, self._read = self.shown[self._read : place], place + len(words)
        return seen


@asynccontextmanager
async def terminal(*command: str) -> AsyncGenerator[tuple[Terminal, asyncio.subprocess.Process]]:
    """Run a command at a terminal that repeats nothing of what is typed."""
    ours, theirs = pty.openpty()
    tty.setcbreak(theirs)
    # A terminal of its own: Ctrl-C goes to whoever runs there.
    process = await asyncio.create_subprocess_exec(
        *("setsid", "--ctty", "--wait", *command), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    screen = Terminal(ours)
    asyncio.get_running_loop().add_reader(ours, screen.look)
    try:
        yield screen, process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)
