"""The kubernetes driver: a claim for each workspace's files, a pod while it runs, reached through the API server."""

import asyncio
import contextlib
import secrets
from collections.abc import Sequence

from perdure.core.errors import Misconfigured, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.core.timing import CLUSTER_FIRST_START, CLUSTER_START, WORKSPACE_STOP
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Network, Plan
from perdure.workspaces.egress.control import EgressControl
from perdure.workspaces.kubernetes import manifests, pods
from perdure.workspaces.kubernetes.abilities import Abilities, Storage, probed, storage
from perdure.workspaces.kubernetes.api import CORE, NETWORKING, Cluster, ClusterFault
from perdure.workspaces.kubernetes.manifests import Setting, claim_name, name_of
from perdure.workspaces.kubernetes.options import PodOptions
from perdure.workspaces.kubernetes.pods import Pods, asking
from perdure.workspaces.kubernetes.reach import UNREACHABLE, Reach

ROLES = ("view", "agent")
NOT_CREATED = "The workspace's files are gone. Create a new workspace."
NO_FENCE = (
    "The kubernetes driver has no network by permission: use 'none' or 'host' in the template, or another driver."
)


class KubernetesDriver:
    """Several replicas use the same objects: whoever makes one first wins, and the others find it."""

    name = "kubernetes"
    sandboxed = True
    has_view = True

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        options: PodOptions,
        owner: str,
        abilities: Abilities | None = None,
    ) -> None:
        """Abilities are known where somebody has tried them before."""
        self._cluster, self._namespace, self._options, self._owner = cluster, namespace, options, owner
        self._pods = Pods(cluster, namespace, sandboxes=options.resource == "sandbox")
        self._known = abilities
        self._abilities: asyncio.Task[Abilities] | None = None
        self._new: set[WorkspaceId] = set()
        self._reach = Reach(cluster, namespace, options, self._pods)

    @property
    def place(self) -> tuple[str, str]:
        """The cluster and the namespace."""
        return self._cluster.url, self._namespace

    async def check(self) -> None:
        abilities = await self.abilities()
        if not abilities.policies_hold and self._options.network_policy == "required":
            raise Misconfigured(
                f"The cluster at {self._cluster.url} accepts network policies and does not enforce them: install a "
                "network that does (Calico, Cilium, kube-router), or set the template's 'network_policy' to 'trusted'."
            )

    async def abilities(self) -> Abilities:
        """What the cluster really does, tried once for each process."""
        if self._known is not None:
            return self._known
        if self._abilities is None or (self._abilities.done() and not _went_well(self._abilities)):
            self._abilities = asyncio.ensure_future(probed(self._cluster, self._namespace, self._options))
        with asking(self._cluster.url, Misconfigured):
            return await asyncio.shield(self._abilities)

    async def storage(self) -> Storage | None:
        """The class that claims get; nothing where there is none."""
        with asking(self._cluster.url, Misconfigured):
            return await storage(self._cluster, self._options)

    async def create(self, plan: Plan) -> None:
        if plan.network is Network.ALLOW:
            raise Misconfigured(NO_FENCE)
        await self.check()
        with asking(self._cluster.url, Misconfigured):
            await self._shared()
            made = manifests.claim(plan, await self._setting())
            await self._cluster.create(CORE, "persistentvolumeclaims", self._namespace, made)
        self._new.add(plan.id)

    async def start(self, plan: Plan) -> WorkspaceClient:
        return await self._run(plan, "agent")

    async def view(self, plan: Plan) -> WorkspaceClient:
        return await self._run(plan, "view")

    async def connect(self, plan: Plan) -> WorkspaceClient:
        with asking(self._cluster.url, WorkspaceUnreachable):
            found = await self._pods.find(name_of(plan.id, "agent"))
            if found is None or not pods.ready(found):
                raise WorkspaceUnreachable(UNREACHABLE)
            return await (await self._reach.client(plan, "agent", found)).answering()

    def egress(self, plan: Plan) -> EgressControl:
        del plan
        raise Misconfigured(NO_FENCE)

    async def stop(self, plan: Plan) -> None:
        with asking(self._cluster.url, WorkspaceUnreachable):
            await asyncio.gather(*(self._stop(plan, role) for role in ROLES))

    async def remove(self, plan: Plan) -> None:
        await self.stop(plan)
        with asking(self._cluster.url, WorkspaceUnreachable):
            for role in ROLES:
                await self._cluster.delete(CORE, "secrets", self._namespace, name_of(plan.id, role))
                self._reach.forget(plan, role)
            await self._pods.forget(name_of(plan.id, "agent"))
            await self._cluster.delete(CORE, "persistentvolumeclaims", self._namespace, claim_name(plan.id))
        self._new.discard(plan.id)

    async def held(self) -> Sequence[WorkspaceId]:
        """The workspaces of this deployment that have anything in the cluster which is to stay there."""
        query = {"labelSelector": f"{manifests.OWNER}={self._owner},{manifests.WORKSPACE}"}
        with asking(self._cluster.url, WorkspaceUnreachable):
            kinds = ("persistentvolumeclaims", "pods", "secrets")
            lists = await asyncio.gather(*(self._cluster.list(CORE, kind, self._namespace, **query) for kind in kinds))
        staying = (each for objects in lists for each in objects if not each["metadata"].get("deletionTimestamp"))
        found = {manifests.workspace_of(each) for each in staying}
        return [each for each in found if each is not None]

    async def size(self, plan: Plan) -> int | None:
        del plan
        return None

    async def close(self) -> None:
        if self._abilities is not None:
            self._abilities.cancel()
            await asyncio.gather(self._abilities, return_exceptions=True)
        await self._cluster.close()

    async def _run(self, plan: Plan, role: str) -> WorkspaceClient:
        patience = CLUSTER_FIRST_START if plan.id in self._new else CLUSTER_START
        with asking(self._cluster.url, WorkspaceUnreachable):
            pod = await self._pods.running(name_of(plan.id, role), lambda: self._launch(plan, role), patience)
            client = await self._reach.client(plan, role, pod)
            try:
                await self._reach.answering(client, pod)
            except BaseException:
                await client.close()
                raise
        self._new.discard(plan.id)
        return client

    async def _launch(self, plan: Plan, role: str) -> None:
        """Make the pod and what it reads. Another replica may do the same now."""
        setting = await self._setting()
        claim = await self._cluster.find(CORE, "persistentvolumeclaims", self._namespace, claim_name(plan.id))
        if claim is None or claim["metadata"].get("deletionTimestamp"):
            raise WorkspaceRefused("not_created", NOT_CREATED)
        token = await self._reach.token(plan, role)
        secret = manifests.secret(plan, setting, role, token or secrets.token_urlsafe(32))
        if token is None:
            await self._cluster.create(CORE, "secrets", self._namespace, secret)
        else:
            await self._cluster.merge(CORE, "secrets", self._namespace, name_of(plan.id, role), secret)
        await self._cluster.create(CORE, "configmaps", self._namespace, manifests.program())
        pod = manifests.pod(plan, setting, role)
        await self._pods.make(pod, alone=role == "view")

    async def _stop(self, plan: Plan, role: str) -> None:
        pod = await self._pods.find(name_of(plan.id, role))
        if pod is None:
            return
        if pods.ready(pod) and not pod["metadata"].get("deletionTimestamp"):
            with contextlib.suppress(WorkspaceUnreachable, WorkspaceRefused, ClusterFault, TimeoutError):
                async with (
                    asyncio.timeout(WORKSPACE_STOP.total_seconds()),
                    await self._reach.client(plan, role, pod) as client,
                ):
                    await client.shut_down()
        await self._pods.end(pod)

    async def _shared(self) -> None:
        """What all workspaces of the namespace have in common."""
        for policy in manifests.policies():
            await self._cluster.create(NETWORKING, "networkpolicies", self._namespace, policy)

    async def _setting(self) -> Setting:
        return Setting(self._owner, self._options, (await self.abilities()).user_namespaces)


def _went_well(task: "asyncio.Task[Abilities]") -> bool:
    return not task.cancelled() and task.exception() is None
