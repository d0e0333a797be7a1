"""Services that must not end: whatever one of them stumbles over is logged, and it goes on."""

import logging
from collections.abc import Awaitable, Callable

from perdure.core.timing import SERVICE_PAUSE, Clock

_log = logging.getLogger(__name__)


async def kept_up(run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run a service, and run it again after a moment when it fails. A bug in one must not end its neighbours."""
    while True:
        try:
            return await run()
        except Exception:  # noqa: BLE001 - the edge of a service: what it did not expect is logged
            _log.exception("%s failed and starts again", getattr(run, "__qualname__", run))
        await clock.sleep(SERVICE_PAUSE.total_seconds())
