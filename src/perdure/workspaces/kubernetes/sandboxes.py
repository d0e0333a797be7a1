"""Workspaces as the `Sandbox` resources of agent-sandbox, where a cluster has them: its controller makes the pod."""

from perdure.workspaces.kubernetes.api import SANDBOXES, Cluster, Object

KIND = "sandboxes"


class Sandboxes:
    """The sandboxes of one namespace. Each has one pod of the same name while it runs, and none while suspended."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace

    async def resume(self, pod: Object) -> None:
        """Let the controller make this pod."""
        metadata = pod["metadata"]
        template = {
            "metadata": {"labels": metadata["labels"], "annotations": metadata["annotations"]},
            "spec": pod["spec"],
        }
        body: Object = {
            "apiVersion": SANDBOXES.removeprefix("apis/"),
            "kind": "Sandbox",
            "metadata": {"name": metadata["name"], "labels": metadata["labels"]},
            "spec": {"operatingMode": "Running", "podTemplate": template},
        }
        if await self._cluster.create(SANDBOXES, KIND, self._namespace, body) is None:
            await self._cluster.merge(SANDBOXES, KIND, self._namespace, metadata["name"], {"spec": body["spec"]})

    async def suspend(self, name: str) -> None:
        """Let the controller end the pod, and make no other."""
        if await self._cluster.find(SANDBOXES, KIND, self._namespace, name) is not None:
            asked = {"spec": {"operatingMode": "Suspended"}}
            await self._cluster.merge(SANDBOXES, KIND, self._namespace, name, asked)

    async def remove(self, name: str) -> None:
        await self._cluster.delete(SANDBOXES, KIND, self._namespace, name)
