"""What tests on a real cluster need; without one they are not collected, and `scripts/on-kubernetes` says so."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.workspaces.kubernetes.place import Place, cluster_place


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    needs_one = collection_path.name.startswith("test_cluster_")
    return True if needs_one and config.getoption("--kubeconfig", default=None) is None else None


@pytest.fixture
async def place(request: pytest.FixtureRequest) -> AsyncGenerator[Place]:
    async with cluster_place(request.config) as found:
        yield found
