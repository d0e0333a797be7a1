"""Waiting for what another process does."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path


async def eventually(true: Callable[[], bool], seconds: float = 60) -> None:
    """Look again until it is so; there is no signal between processes to wait for."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def written(path: Path) -> bool:
    """Whether somebody has not only made a file, but also said something in it."""
    return path.exists() and bool(path.read_bytes())
