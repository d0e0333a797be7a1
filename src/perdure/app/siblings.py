"""The other processes of the same supervisor: each listens on a Unix socket in a folder that they share."""

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from perdure.observe.metrics import merged

OWN_METRICS = "own"
"""As a query of `/metrics`: this process's numbers alone."""
_PATIENCE = aiohttp.ClientTimeout(total=2)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Siblings:
    """Knows a process by the slot it fills and by the TCP port that is its own."""

    folder: Path
    slot: int
    port: int

    @property
    def own(self) -> Path:
        return self.folder / f"{self.slot}-{self.port}.sock"

    def socket_of(self, address: str) -> Path | None:
        """The socket of the process that other machines reach at this address, if it is one of us."""
        host, _, port = address.rpartition(":")
        return next(iter(self.folder.glob(f"*-{port}.sock")), None) if host and port.isdigit() else None

    async def metrics(self, own: bytes) -> bytes:
        """Everybody's numbers. A process that does not answer is left out, as a replica that is down would be."""
        others = {slot: path for slot, path in self._newest().items() if slot != self.slot}
        pages = await asyncio.gather(*(_page(path) for path in others.values()))
        found = {slot: page for slot, page in zip(others, pages, strict=True) if page is not None}
        return merged({str(slot): page for slot, page in sorted({**found, self.slot: own}.items())})

    def _newest(self) -> dict[int, Path]:
        """One socket for each slot: while a process is replaced there are two."""
        found = sorted(self.folder.glob("*-*.sock"), key=_made)
        return {int(path.name.partition("-")[0]): path for path in found}


def _made(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0


async def _page(path: Path) -> bytes | None:
    try:
        async with (
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path)), timeout=_PATIENCE) as http,
            http.get(f"http://sibling/metrics?{OWN_METRICS}") as answer,
        ):
            return await answer.read()
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        _log.info("a process of this supervisor does not answer: %s", error)
        return None
