"""A program for tests: a replica that is killed at a named point of its work, once a file of that name is there."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from perdure.app.parts import Parts
from perdure.cli.serve import serve
from perdure.observe.logs import start_logging
from perdure.settings import Address, Settings


class EndingWhenTold:
    """One replica ends for each file: whoever removes it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def reached(self, name: str) -> None:
        with suppress(FileNotFoundError):
            (self._folder / name).unlink()
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    settings = replace(Settings.from_environment(), bind=Address.parse("127.0.0.1:0"))
    start_logging(level=settings.log_level, json=True)
    asyncio.run(serve(settings, parts=Parts(crash_points=EndingWhenTold(Path(sys.argv[1])))))


if __name__ == "__main__":
    main()
