"""A running agent program for the tests of this folder."""

import shutil
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.workspaces.inside import Inside


@pytest.fixture
async def inside() -> AsyncGenerator[Inside]:
    """Under a short path, because a socket's path has at most 107 bytes."""
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    agent = Inside(root)
    await agent.start()
    try:
        yield agent
    finally:
        await agent.leaves()
        shutil.rmtree(root)
