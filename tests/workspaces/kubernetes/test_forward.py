"""Ways to a pod that lead nowhere: each ends, and says why."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from perdure.core.errors import WorkspaceUnreachable
from perdure.workspaces.kubernetes import api, forward
from perdure.workspaces.kubernetes.access import Access, Token
from perdure.workspaces.kubernetes.api import Cluster, ClusterFault

SOON = timedelta(milliseconds=200)


@pytest.fixture
async def silent() -> AsyncGenerator[int]:
    """The port of a server that reads and never says anything, as an API server does whose node is away."""

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_an_api_server_that_waits_for_a_node_is_not_waited_for(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "CLUSTER_ANSWER", SOON)
    cluster = Cluster(Access(f"http://127.0.0.1:{silent}", "default", ssl.create_default_context(), Token()))
    try:
        with pytest.raises(ClusterFault, match="the node that the pod runs on does not answer"):
            await cluster.forward("default", "pod", 1)
    finally:
        await cluster.close()


async def test_a_pod_that_takes_no_connection_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "CLUSTER_ANSWER", SOON)

    async def nobody(*_: object) -> None:
        await asyncio.Event().wait()

    # A network that drops what is for a node that is gone.
    monkeypatch.setattr(asyncio, "open_connection", nobody)
    with pytest.raises(WorkspaceUnreachable):
        await forward.direct("192.0.2.1", 1)()
