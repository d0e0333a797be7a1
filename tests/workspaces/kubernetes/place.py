"""A namespace of its own on a real cluster, and what is left in it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Plan
from perdure.workspaces.kubernetes import manifests
from perdure.workspaces.kubernetes.abilities import Abilities
from perdure.workspaces.kubernetes.access import from_kubeconfig
from perdure.workspaces.kubernetes.api import CORE, SANDBOXES, Cluster, ClusterFault, Object
from perdure.workspaces.kubernetes.driver import KubernetesDriver
from perdure.workspaces.kubernetes.options import pod_options

IMAGE, STORAGE_CLASS = "localhost/workspace:1", "folders"
KINDS = {"pods": CORE, "persistentvolumeclaims": CORE, "secrets": CORE, "sandboxes": SANDBOXES}
LEAVING = 60
NOTHING = {"pods": 0, "persistentvolumeclaims": 0, "secrets": 0}


class Place:
    """Where a test works. Drivers made here are those of replicas of one deployment."""

    def __init__(self, kubeconfig: Path, namespace: str) -> None:
        self.kubeconfig, self.namespace = kubeconfig, namespace
        self.cluster = Cluster(from_kubeconfig(kubeconfig))
        self.abilities = Abilities(version="", policies_hold=True, user_namespaces=True)
        """What the tests' own cluster can. One of the tests tries it, the others go by it."""
        self.resource = "pod"

    def driver(self, owner: str = "tests", **settings: str) -> KubernetesDriver:
        options = pod_options({"image": IMAGE, "storage_class": STORAGE_CLASS, **settings})
        return KubernetesDriver(
            Cluster(from_kubeconfig(self.kubeconfig)), self.namespace, options, owner, self.abilities
        )

    async def objects(self, kind: str, label: str = manifests.WORKSPACE) -> list[Object]:
        try:
            return await self.cluster.list(KINDS[kind], kind, self.namespace, labelSelector=label)
        except ClusterFault:
            # Not every cluster has the resources of agent-sandbox.
            assert kind == "sandboxes"
            return []

    async def left(self) -> dict[str, int]:
        """How many objects of workspaces there are, by kind, once all that are to go are gone."""
        async with asyncio.timeout(LEAVING):
            while True:
                found = {kind: await self.objects(kind) for kind in KINDS}
                if not any(each["metadata"].get("deletionTimestamp") for objects in found.values() for each in objects):
                    counted = {kind: len(objects) for kind, objects in found.items()}
                    return {kind: count for kind, count in counted.items() if count or kind in NOTHING}
                await asyncio.sleep(0.05)


def new_plan(**more: object) -> Plan:
    return Plan(WorkspaceId(uuid4()), **more)  # type: ignore[arg-type]


@asynccontextmanager
async def cluster_place(config: pytest.Config) -> AsyncGenerator[Place]:
    """A namespace that is deleted afterwards, whatever is in it."""
    place = Place(Path(str(config.getoption("--kubeconfig"))), f"perdure-test-{uuid4().hex[:8]}")
    await place.cluster.create(CORE, "namespaces", "", {"metadata": {"name": place.namespace}})
    try:
        yield place
    finally:
        await place.cluster.delete(CORE, "namespaces", "", place.namespace)
        await place.cluster.close()
