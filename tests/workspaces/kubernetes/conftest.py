"""What tests on a real cluster need; without one they are not collected, and `scripts/on-kubernetes` says so."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.workspaces.kubernetes.place import Place, cluster_place


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    needed = {"test_cluster_": "--kubeconfig", "test_cluster_deaths": "--cluster-box"}
    missing = [
        option
        for name, option in needed.items()
        if collection_path.name.startswith(name) and config.getoption(option, default=None) is None
    ]
    return True if missing else None


@pytest.fixture
async def place(request: pytest.FixtureRequest) -> AsyncGenerator[Place]:
    async with cluster_place(request.config) as found:
        yield found
