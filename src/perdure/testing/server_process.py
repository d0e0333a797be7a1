"""A server of others, as a process that a test may stop, hang and start again."""

import asyncio
import signal


class ServerProcess:
    """Whoever starts it sets `process`."""

    process: asyncio.subprocess.Process | None = None

    async def dies(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def hangs(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def goes_on(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)
