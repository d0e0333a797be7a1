"""What a cluster really does, found by trying: whether policies hold, whether pods have users of their own."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from perdure.core.errors import Misconfigured, WorkspaceUnreachable
from perdure.core.timing import CLUSTER_PROBE, CLUSTER_PROBE_FORGOTTEN
from perdure.workspaces.driver import Network
from perdure.workspaces.kubernetes import manifests
from perdure.workspaces.kubernetes.api import CORE, NETWORKING, Cluster, Object
from perdure.workspaces.kubernetes.options import PodOptions
from perdure.workspaces.kubernetes.pods import Pods

PROBE = "perdure/probe"
PROBE_PORT = 7717
RIGHTS = {
    "pods": ("get", "list", "watch", "create", "delete"),
    "pods/portforward": ("get", "create"),
    "persistentvolumeclaims": ("get", "list", "create", "delete"),
    "secrets": ("get", "list", "create", "patch", "delete"),
    "configmaps": ("create",),
    "events": ("list",),
    "networkpolicies": ("create",),
}
"""What the driver does in its namespace, and no more. The chart's role says the same."""
SANDBOX_RIGHTS = {"sandboxes": ("get", "create", "patch", "delete")}
GROUPS = {"networkpolicies": "networking.k8s.io", "sandboxes": "agents.x-k8s.io"}
SERVER = f"""
import socket
listening = socket.create_server(("", {PROBE_PORT}))
while True:
    listening.accept()[0].close()
"""
ASKING = f"""
import socket, sys, time
end, wanted = time.monotonic() + 15, sys.argv[2]
while time.monotonic() < end:
    try:
        socket.create_connection((sys.argv[1], {PROBE_PORT}), 1).close()
        now = "open"
    except OSError:
        now = "shut"
    if now == wanted:
        sys.exit(0)
    time.sleep(0.1)
sys.exit(3)
"""


@dataclass(frozen=True, slots=True)
class Abilities:
    version: str
    policies_hold: bool
    user_namespaces: bool


async def probed(cluster: Cluster, namespace: str, options: PodOptions) -> Abilities:
    """Try it. What was made for that is gone afterwards, also what an earlier try left behind."""
    version = str((await cluster.ask("version"))["gitVersion"])
    if missing := await lacking(cluster, namespace, options):
        raise Misconfigured(
            f"The server lacks rights in the cluster's namespace {namespace!r}: {', '.join(missing)}. "
            "Give its service account the role that the chart has."
        )
    await _forget_others(cluster, namespace)
    for policy in manifests.policies():
        await cluster.create(NETWORKING, "networkpolicies", namespace, policy)
    apart = options.user_namespaces != "off"
    try:
        hold, apart = await _try(cluster, namespace, options, apart)
    except WorkspaceUnreachable as error:
        if not apart or options.user_namespaces == "on":
            raise Misconfigured(f"The cluster cannot run workspaces. {error}") from error
        return await _without_users(cluster, namespace, options, version)
    return Abilities(version, hold, apart)


async def _without_users(cluster: Cluster, namespace: str, options: PodOptions, version: str) -> Abilities:
    try:
        hold, _ = await _try(cluster, namespace, options, False)
    except WorkspaceUnreachable as error:
        raise Misconfigured(f"The cluster cannot run workspaces. {error}") from error
    return Abilities(version, hold, False)


async def lacking(cluster: Cluster, namespace: str, options: PodOptions) -> list[str]:
    """The rights that we need and do not have."""
    rights = RIGHTS | (SANDBOX_RIGHTS if options.resource == "sandbox" else {})
    wanted = [(kind, verb) for kind, verbs in rights.items() for verb in verbs]
    answers = await asyncio.gather(*(_may(cluster, namespace, kind, verb) for kind, verb in wanted))
    return [f"{verb} {kind}" for (kind, verb), yes in zip(wanted, answers, strict=True) if not yes]


async def _may(cluster: Cluster, namespace: str, kind: str, verb: str) -> bool:
    resource, _, part = kind.partition("/")
    asked = {"namespace": namespace, "verb": verb, "resource": resource, "group": GROUPS.get(kind, "")}
    return await cluster.allowed({**asked, **({"subresource": part} if part else {})})


async def _try(cluster: Cluster, namespace: str, options: PodOptions, apart: bool) -> tuple[bool, bool]:
    """Whether a pod behind the policy is cut off from one that a pod before it reaches; and whether `apart` took."""
    async with _probing(cluster, namespace, options, apart) as probe:
        server = await probe.running("server", SERVER)
        address = str(server["status"]["podIP"])
        opened, shut = await asyncio.gather(
            probe.ended("before", ASKING, address, "open"),
            probe.ended("behind", ASKING, address, "shut", network=Network.NONE),
        )
        if not opened:
            raise WorkspaceUnreachable("Pods do not reach each other, so whether network policies hold is unknown.")
        return shut, apart and server["spec"].get("hostUsers") is False


class _Probe:
    """Some pods that stay for a moment."""

    def __init__(self, cluster: Cluster, namespace: str, options: PodOptions, apart: bool) -> None:
        self._cluster, self._namespace, self._options, self._apart = cluster, namespace, options, apart
        self._name = f"perdure-probe-{secrets.token_hex(4)}"
        self._pods = Pods(cluster, namespace)
        self._made: list[str] = []

    async def running(self, part: str, script: str) -> Object:
        name = await self._make(part, script)
        return await self._pods.running(name, self._gone, CLUSTER_PROBE)

    async def ended(self, part: str, script: str, *arguments: str, network: str = "probe") -> bool:
        """Whether the script said yes."""
        name = await self._make(part, script, *arguments, network=network)
        try:
            async with asyncio.timeout(CLUSTER_PROBE.total_seconds()):
                status = (await self._pods.ended(name))["status"]["containerStatuses"][0]["state"]["terminated"]
        except TimeoutError:
            raise WorkspaceUnreachable("The pods that try the network do not end in time.") from None
        return status["exitCode"] == 0

    async def _make(self, part: str, script: str, *arguments: str, network: str = "probe") -> str:
        name = f"{self._name}-{part}"
        body = manifests.probe_pod(name, self._options, ["python3", "-I", "-c", script, *arguments])
        body["metadata"]["labels"] = {**manifests.MANAGED, PROBE: self._name, manifests.NETWORK: network}
        if self._apart:
            body["spec"]["hostUsers"] = False
        self._made.append(name)
        await self._cluster.create(CORE, "pods", self._namespace, body)
        return name

    async def _gone(self) -> None:
        raise WorkspaceUnreachable("A pod that tries the cluster went away.")

    async def clear(self) -> None:
        for name in self._made:
            await self._cluster.delete(CORE, "pods", self._namespace, name, grace=0)


@asynccontextmanager
async def _probing(cluster: Cluster, namespace: str, options: PodOptions, apart: bool) -> AsyncGenerator[_Probe]:
    probe = _Probe(cluster, namespace, options, apart)
    try:
        yield probe
    finally:
        await asyncio.shield(asyncio.ensure_future(probe.clear()))


async def _forget_others(cluster: Cluster, namespace: str) -> None:
    """What a server left that was killed while it tried."""
    for pod in await cluster.list(CORE, "pods", namespace, labelSelector=PROBE):
        made = datetime.fromisoformat(pod["metadata"]["creationTimestamp"])
        if datetime.now(UTC) - made > CLUSTER_PROBE_FORGOTTEN:
            await cluster.delete(CORE, "pods", namespace, pod["metadata"]["name"], grace=0)


WITHOUT_QUOTA = (
    "kubernetes.io/no-provisioner", "kubernetes.io/host-path", "rancher.io/local-path", "k8s.io/minikube-hostpath",
    "docker.io/hostpath", "microk8s.io/hostpath", "openebs.io/local",
)  # fmt: skip
"""Those whose volumes are folders of a node: a claim's size is a wish."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The class that claims get."""

    name: str
    provisioner: str

    @property
    def limited(self) -> bool:
        return self.provisioner not in WITHOUT_QUOTA


async def storage(cluster: Cluster, options: PodOptions) -> Storage | None:
    """What claims get, where there is such a class. Fails where we may not see classes, which nothing else needs."""
    classes = await cluster.list("apis/storage.k8s.io/v1", "storageclasses", "")
    for each in classes:
        marks: Object = each["metadata"].get("annotations") or {}
        default = marks.get("storageclass.kubernetes.io/is-default-class") == "true"
        if each["metadata"]["name"] == options.storage_class if options.storage_class else default:
            return Storage(each["metadata"]["name"], str(each["provisioner"]))
    return None
