"""The objects of a workspace, as the API server wants them. No I/O."""

import base64
import hashlib
import json
from dataclasses import dataclass
from uuid import UUID

from perdure.core.ids import WorkspaceId
from perdure.workspaces.bundle import bundle
from perdure.workspaces.driver import Network, Plan
from perdure.workspaces.kubernetes.api import Object
from perdure.workspaces.kubernetes.options import PodOptions

TREE, HOME, PROGRAM, PRIVATE, HANDOVER = "/workspace", "/home/agent", "/opt/perdure", "/var/lib/perdure", "/run/perdure"
PORT = 7716
SOCKET = f"{HANDOVER}/socket"
AGENT_PROCESSES = 16
OWNER, WORKSPACE, ROLE, NETWORK, REACH = (
    "perdure/deployment", "perdure/workspace", "perdure/role", "perdure/network", "perdure/reach",
)  # fmt: skip
MANAGED = {"app.kubernetes.io/managed-by": "perdure"}
GIVE = f"""
import sys
sys.path.insert(0, "{PROGRAM}/agent.pyz")
from perdure.workspaces.agent.handover import give
give(*sys.argv[1:])
"""
FIRST_USER, USERS = 10_000, 50_000
"""Each workspace has a user of its own: what one of them may have of processes is counted by user."""
SMALL = {"requests": {"cpu": "10m", "memory": "24Mi"}, "limits": {"cpu": "1", "memory": "64Mi"}}
UNPRIVILEGED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
}
REPLICAS = {"app.kubernetes.io/name": "perdure"}
"""What the chart writes on the server's own pods."""
METADATA_ADDRESSES = "169.254.0.0/16"
"""Where clouds hand out the credentials of a node."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What holds for all pods of a driver."""

    owner: str
    options: PodOptions
    user_namespaces: bool


def name_of(workspace: WorkspaceId, role: str) -> str:
    return f"perdure-{workspace}-{role}"


def claim_name(workspace: WorkspaceId) -> str:
    return f"perdure-{workspace}"


def program_name() -> str:
    return f"perdure-agent-{hashlib.sha256(bundle()).hexdigest()[:12]}"


def labels(owner: str, workspace: WorkspaceId) -> dict[str, str]:
    return {**MANAGED, OWNER: owner, WORKSPACE: str(workspace)}


def program() -> Object:
    """The agent program, once for all workspaces of a namespace."""
    content = base64.b64encode(bundle()).decode()
    metadata = {"name": program_name(), "labels": MANAGED}
    return {"metadata": metadata, "immutable": True, "binaryData": {"agent.pyz": content}}


def claim(plan: Plan, setting: Setting) -> Object:
    spec: Object = {
        "accessModes": [setting.options.access_mode],
        "resources": {"requests": {"storage": str(plan.limits.disk_bytes)}},
    }
    if setting.options.storage_class:
        spec["storageClassName"] = setting.options.storage_class
    metadata = {"name": claim_name(plan.id), "labels": labels(setting.owner, plan.id)}
    return {"metadata": metadata, "spec": spec}


def secret(plan: Plan, setting: Setting, role: str, token: str) -> Object:
    """What only the neighbour of the agent program has mounted."""
    address = "0.0.0.0" if setting.options.reach == "direct" else "127.0.0.1"  # noqa: S104
    settings = {
        "tree": TREE,
        "home": HOME,
        "roots": ["/tmp"],  # noqa: S108
        "state": f"{PRIVATE}/state",
        "socket": f"{address}:{PORT}",
        "token": token,
        "read_only": role == "view",
        "environment": dict(plan.environment),
        "limits": {
            "processes": plan.limits.processes + AGENT_PROCESSES,
            "file_bytes": plan.limits.file_bytes,
            "disk_bytes": 0 if role == "view" else plan.limits.disk_bytes,
        },
    }
    metadata = {"name": name_of(plan.id, role), "labels": {**labels(setting.owner, plan.id), ROLE: role}}
    return {"metadata": metadata, "stringData": {"settings.json": json.dumps(settings), "token": token}}


def pod(plan: Plan, setting: Setting, role: str) -> Object:
    name = name_of(plan.id, role)
    marks = {
        **labels(setting.owner, plan.id), ROLE: role, NETWORK: str(plan.network), REACH: setting.options.reach,
    }  # fmt: skip
    metadata = {
        "name": name,
        "labels": marks,
        "annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"},
    }
    return {"metadata": metadata, "spec": _spec(plan, setting, role)}


def _spec(plan: Plan, setting: Setting, role: str) -> Object:
    options, user = setting.options, FIRST_USER + int(plan.id) % USERS
    spec: Object = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 2,
        "hostname": "workspace",
        "securityContext": {
            **_identity(user), "fsGroupChangePolicy": "OnRootMismatch", "seccompProfile": {"type": "RuntimeDefault"},
        },
        "initContainers": [_prepare(options)],
        "containers": [_neighbour(options, role), _agent(plan, options, role)],
        "volumes": [
            {"name": "files", "persistentVolumeClaim": {"claimName": claim_name(plan.id)}},
            {"name": "settings", "secret": {"secretName": name_of(plan.id, role), "defaultMode": 0o440}},
            {"name": "program", "configMap": {"name": program_name()}},
            {"name": "handover", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
            {"name": "temporary", "emptyDir": {"sizeLimit": options.temporary}},
        ],
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_together(plan)]}},
    }  # fmt: skip
    if setting.user_namespaces:
        spec["hostUsers"] = False
    return {**spec, **_place(options)}


def probe_pod(name: str, options: PodOptions, command: list[str]) -> Object:
    """A pod as a workspace's, as far as that matters for what the cluster can."""
    container = {
        "name": "agent", "image": options.image, "command": command,
        "resources": SMALL, "securityContext": UNPRIVILEGED,
    }  # fmt: skip
    spec: Object = {
        "restartPolicy": "Never", "automountServiceAccountToken": False, "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 0, "activeDeadlineSeconds": 300, "containers": [container],
        "securityContext": {**_identity(FIRST_USER), "seccompProfile": {"type": "RuntimeDefault"}},
    }  # fmt: skip
    return {"metadata": {"name": name}, "spec": {**spec, **_place(options)}}


def _identity(user: int) -> Object:
    return {"runAsNonRoot": True, "runAsUser": user, "runAsGroup": user, "fsGroup": user}


def _place(options: PodOptions) -> Object:
    """Where a pod may run, and as what: what of it is said."""
    said: Object = {
        "runtimeClassName": options.runtime_class,
        "priorityClassName": options.priority_class,
        "nodeSelector": dict(options.node_selector),
        "imagePullSecrets": [{"name": options.pull_secret}] if options.pull_secret else [],
    }
    return {field: value for field, value in said.items() if value}


def _together(plan: Plan) -> Object:
    """The view uses the same claim, which most classes let only one node have."""
    return {
        "labelSelector": {"matchLabels": {WORKSPACE: str(plan.id)}},
        "topologyKey": "kubernetes.io/hostname",
    }


def _prepare(options: PodOptions) -> Object:
    folders = " ".join(f"{PRIVATE}/{name}" for name in ("tree", "home", "agent", "view"))
    return {
        "name": "prepare",
        "image": options.image,
        "command": ["sh", "-c", f"mkdir -p {folders}"],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": UNPRIVILEGED,
        "resources": SMALL,
        "volumeMounts": [{"name": "files", "mountPath": PRIVATE}],
    }


def _neighbour(options: PodOptions, role: str) -> Object:
    return {
        "name": "neighbour",
        "image": options.image,
        "command": ["python3", "-I", "-S", "-B", "-c", GIVE, SOCKET, f"{PRIVATE}/settings.json", f"{PRIVATE}/state"],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": UNPRIVILEGED,
        "resources": SMALL,
        "volumeMounts": [
            {"name": "program", "mountPath": PROGRAM, "readOnly": True},
            {"name": "settings", "mountPath": f"{PRIVATE}/settings.json", "subPath": "settings.json", "readOnly": True},
            {"name": "files", "mountPath": f"{PRIVATE}/state", "subPath": role},
            {"name": "handover", "mountPath": HANDOVER},
        ],
    }


def _agent(plan: Plan, options: PodOptions, role: str) -> Object:
    limits = {"memory": str(plan.limits.memory_bytes), **({"cpu": options.cpu} if options.cpu else {})}
    kept = {"readOnly": role == "view"}
    return {
        "name": "agent",
        "image": options.image,
        "command": ["python3", "-I", "-S", "-B", f"{PROGRAM}/agent.pyz", "--take", SOCKET],
        "workingDir": TREE,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": UNPRIVILEGED,
        "resources": {"requests": {"cpu": options.cpu_request, "memory": options.memory_request}, "limits": limits},
        "volumeMounts": [
            {"name": "program", "mountPath": PROGRAM, "readOnly": True},
            {"name": "files", "mountPath": TREE, "subPath": "tree", **kept},
            {"name": "files", "mountPath": HOME, "subPath": "home", **kept},
            {"name": "handover", "mountPath": HANDOVER, "readOnly": True},
            {"name": "temporary", "mountPath": "/tmp"},  # noqa: S108
        ],
    }


def workspace_of(made: Object) -> WorkspaceId | None:
    marks: Object = made["metadata"].get("labels") or {}
    try:
        return WorkspaceId(UUID(str(marks.get(WORKSPACE))))
    except ValueError:
        return None


def policies() -> list[Object]:
    """What may reach workspaces and what may leave them, for all of a namespace; by label."""
    both = ["Ingress", "Egress"]
    outside = {"ipBlock": {"cidr": "0.0.0.0/0", "except": [METADATA_ADDRESSES]}}
    everything = {"ipBlock": {"cidr": "::/0"}}
    replicas = {"namespaceSelector": {}, "podSelector": {"matchLabels": REPLICAS}}
    closed: Object = {"podSelector": {"matchLabels": MANAGED | {NETWORK: Network.NONE}}, "policyTypes": both}
    opened: Object = {
        "podSelector": {"matchLabels": MANAGED | {NETWORK: Network.HOST}},
        "policyTypes": both,
        "egress": [{"to": [outside, everything]}, {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53}]}],
    }
    direct: Object = {
        "podSelector": {"matchLabels": MANAGED | {REACH: "direct"}},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [replicas], "ports": [{"port": PORT}]}],
    }
    named = {"perdure-closed": closed, "perdure-open": opened, "perdure-direct": direct}
    return [{"metadata": {"name": name, "labels": MANAGED}, "spec": spec} for name, spec in named.items()]
