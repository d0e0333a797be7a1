"""Notices where nothing carries them between replicas: everybody looks again every few seconds."""

from collections.abc import Sequence

from perdure.core.timing import NOTICE_POLL
from perdure.store.fleet_pubsub import FleetPubsub


class PollingPubsub(FleetPubsub):
    """Listeners of this process hear at once. What other replicas do may have been missed, and is looked for."""

    failures = ()

    async def _follow(self) -> None:
        while True:
            self._begun()
            await self._clock.sleep(NOTICE_POLL.total_seconds())

    async def _deliver(self, batch: Sequence[str]) -> None:
        """There is nobody to hand it to."""
