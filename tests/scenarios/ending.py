"""A program for tests: a replica that ends at a named point of its work."""

import asyncio
import os
import signal
import sys
from dataclasses import replace

from perdure.app.parts import Parts
from perdure.cli.serve import serve
from perdure.observe.logs import start_logging
from perdure.settings import Address, Settings


class Ending:
    """Ends this process the so-manieth time that the point is reached: at once, or in good order."""

    def __init__(self, point: str, times: int, how: signal.Signals) -> None:
        self._point = point
        self._left = times
        self._how = how

    def reached(self, name: str) -> None:
        if name != self._point:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), self._how)


def main() -> None:
    point, times, how = sys.argv[1:4]
    settings = replace(Settings.from_environment(), bind=Address.parse("127.0.0.1:0"))
    start_logging(level=settings.log_level, json=True)
    ending = Ending(point, int(times), signal.Signals[how])
    asyncio.run(serve(settings, parts=Parts(crash_points=ending)))


if __name__ == "__main__":
    main()
