"""A program for tests: a replica whose agents wake nobody when they come to rest, and that looks for nobody either.

It drives one chat at a time, so that no agent is at rest before its parent waits for it.
"""

import asyncio
from dataclasses import replace

from perdure.cli.serve import serve
from perdure.observe.logs import start_logging
from perdure.settings import Address, Settings
from perdure.tools.reports import Waits


async def nobody(*_: object, **__: object) -> bool:
    return False


def main() -> None:
    setattr(Waits, "end", nobody)  # noqa: B010 - the promise that is broken on purpose
    settings = replace(Settings.from_environment(), bind=Address.parse("127.0.0.1:0"), capacity=1, capacity_per_user=1)
    start_logging(level=settings.log_level, json=True)
    asyncio.run(serve(settings))


if __name__ == "__main__":
    main()
