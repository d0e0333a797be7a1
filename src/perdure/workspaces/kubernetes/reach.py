"""The way from a replica to the agent program of a pod, and what it has to say there."""

import asyncio
import base64

from perdure.core.errors import WorkspaceUnreachable
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import UNREACHABLE, Connection
from perdure.workspaces.driver import Plan
from perdure.workspaces.kubernetes import manifests, troubles
from perdure.workspaces.kubernetes.api import CORE, Cluster, Object
from perdure.workspaces.kubernetes.forward import Forward, direct, forwarded
from perdure.workspaces.kubernetes.manifests import name_of
from perdure.workspaces.kubernetes.options import PodOptions
from perdure.workspaces.kubernetes.pods import Pods

__all__ = ["UNREACHABLE", "Reach"]


class Reach:
    """Connects to pods of one namespace, as their template says."""

    def __init__(self, cluster: Cluster, namespace: str, options: PodOptions, pods: Pods) -> None:
        self._cluster, self._namespace, self._options, self._pods = cluster, namespace, options, pods
        self._tokens: dict[str, str] = {}

    async def token(self, plan: Plan, role: str) -> str | None:
        """What the agent program wants to hear; it is the same for as long as the workspace is there."""
        name = name_of(plan.id, role)
        if name not in self._tokens:
            found = await self._cluster.find(CORE, "secrets", self._namespace, name)
            if found is None:
                return None
            self._tokens[name] = base64.b64decode(found["data"]["token"]).decode()
        return self._tokens[name]

    def forget(self, plan: Plan, role: str) -> None:
        self._tokens.pop(name_of(plan.id, role), None)

    async def client(self, plan: Plan, role: str, pod: Object) -> WorkspaceClient:
        token = await self.token(plan, role) or ""
        name, port = pod["metadata"]["name"], manifests.PORT
        straight = self._options.reach == "direct"
        dial = direct(str(pod["status"]["podIP"]), port) if straight else None
        forward = await Forward(dial or forwarded(self._cluster, self._namespace, name, port)).open()
        return WorkspaceClient(Connection.unix(forward.path, token, closed=forward.close))

    async def answering(self, client: WorkspaceClient, pod: Object) -> None:
        """Until the agent program answers, or has left: then why is told, and the pod makes room for the next try."""
        reaching = asyncio.ensure_future(client.reach())
        leaving = asyncio.ensure_future(self._pods.ended(pod["metadata"]["name"]))
        try:
            await asyncio.wait((reaching, leaving), return_when=asyncio.FIRST_COMPLETED)
            if reaching.done():
                reaching.result()
                return
            ended = leaving.result()
            await self._pods.end(ended)
            raise WorkspaceUnreachable(troubles.of_pod(ended) or UNREACHABLE)
        finally:
            for task in (reaching, leaving):
                task.cancel()
            await asyncio.gather(reaching, leaving, return_exceptions=True)
