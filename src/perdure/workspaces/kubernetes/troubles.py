"""Why a workspace's pod does not run, in words that name the thing and the remedy. No I/O."""

from collections.abc import Iterable, Sequence
from http import HTTPStatus

from perdure.workspaces.kubernetes.api import ClusterFault, Object

PULLING = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable")
STARTING = ("CreateContainerError", "CreateContainerConfigError", "RunContainerError", "StartError")
VOLUME = ("FailedMount", "FailedAttachVolume", "FailedMapVolume", "VolumeResizeFailed")
UNBOUND = "unbound immediate PersistentVolumeClaims"
ENDED = ("Failed", "Succeeded")
OUT_OF_MEMORY = 137


def of_pod(pod: Object) -> str | None:
    """What is wrong with a pod, as far as it says so itself and waiting does not help."""
    status: Object = pod.get("status") or {}
    phase = status.get("phase")
    if phase in ENDED:
        return _of_ended(status)
    for container in _containers(status):
        waiting: Object = container["state"].get("waiting") or {}
        reason, message = str(waiting.get("reason") or ""), _short(waiting.get("message"))
        if reason in PULLING:
            return (
                f"The image {container['image']} cannot be pulled ({message or reason}). "
                "Check the template's setting 'image' and its 'pull_secret'."
            )
        if reason in STARTING:
            return f"The image {container['image']} cannot be started ({message or reason}). It needs python3 and sh."
        ended: Object = container["state"].get("terminated") or {}
        if ended and ended.get("exitCode"):
            return _of_container(container, ended)
    return None


def of_scheduling(pod: Object, *, late: bool = True) -> str | None:
    """Why no node takes the pod; a cluster that grows may still find one, and a volume may take its time."""
    status: Object = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition["type"] != "PodScheduled" or condition["status"] != "False":
            continue
        message = _short(condition.get("message"))
        if UNBOUND in message:
            return f"The workspace's volume is not made in time ({message}). Check its storage class." if late else None
        return (
            f"No node of the cluster takes the workspace ({message}). "
            "Lower the template's limits or requests, change its 'node_selector', or add nodes."
        )
    return None


def of_node(pod: Object) -> str | None:
    """Whether the pod's node has stopped answering."""
    status: Object = pod.get("status") or {}
    conditions = {each["type"]: each for each in status.get("conditions") or ()}
    readiness, containers = conditions.get("Ready", {}), conditions.get("ContainersReady", {})
    # For a node that is gone the cluster takes back that the pod is ready, and not that its containers are. So does the
    # node itself for a pod that something else in the cluster has to agree to, and names that.
    unready = readiness.get("status", "True") != "True" and readiness.get("reason") != "ReadinessGatesNotReady"
    given_up = unready and containers.get("status") == "True"
    if not given_up and status.get("reason") != "NodeLost":
        return None
    spec: Object = pod.get("spec") or {}
    node = spec.get("nodeName", "?")
    return (
        f"The node {node} that the workspace runs on does not answer. Its files stay; it starts again when the node "
        "answers, or when whoever runs the cluster removes the node."
    )


def of_events(events: Iterable[Object], *, late: bool = True) -> str | None:
    """The newest complaint about the pod or its claim. A busy node says some that are no more a moment later."""
    for event in sorted(events, key=_moment, reverse=True):
        reason, message = str(event.get("reason")), _short(event.get("message"))
        if reason in ("ProvisioningFailed", "FailedBinding"):
            return (
                f"The workspace's volume cannot be made ({message}). Name a storage class that the cluster has with "
                "the template's setting 'storage_class', or make one the default."
            )
        if late and reason in VOLUME:
            return f"The workspace's volume cannot be mounted ({message}). Check the storage class and the node."
        if late and reason == "FailedCreatePodSandBox":
            return (
                f"The node cannot make the workspace's pod ({message}). Check the template's 'runtime_class' and "
                "'user_namespaces', and the node's network."
            )
    return None


def of_fault(fault: ClusterFault, url: str) -> str:
    """What the API server refused."""
    message = _short(fault.message, 400)
    if fault.status == HTTPStatus.UNAUTHORIZED:
        return f"The cluster at {url} does not accept our credentials: renew the token or the kubeconfig."
    if fault.status == HTTPStatus.FORBIDDEN and "exceeded quota" in fault.message:
        return f"The namespace's quota is used up ({message}). Remove workspaces, or raise the quota."
    if "being terminated" in fault.message:
        return f"The namespace is being deleted ({message}). Name another with the template's setting 'namespace'."
    if fault.status == HTTPStatus.FORBIDDEN and "violates PodSecurity" in fault.message:
        return f"The namespace's security level refuses the pod ({message}). Check 'runtime_class' and the level."
    if fault.status == HTTPStatus.FORBIDDEN and "is forbidden: User" in fault.message:
        return f"The server lacks a right in the cluster ({message}). Give it the role that the chart has."
    if fault.status == HTTPStatus.NOT_FOUND and "namespaces" in fault.message:
        return f"There is no such namespace ({message}). Make it, or name another with the setting 'namespace'."
    return f"The cluster refused ({message or fault.status})."


def ready(pod: Object) -> bool:
    """Whether the agent program has begun."""
    status: Object = pod.get("status") or {}
    return status.get("phase") == "Running" and any(
        each["name"] == "agent" and "running" in each["state"] for each in status.get("containerStatuses") or ()
    )


def ended(pod: Object) -> bool:
    """Whether it will never run again. The neighbour leaves early, so that only the agent program counts."""
    status: Object = pod.get("status") or {}
    if status.get("phase") in ENDED:
        return True
    return any(
        each["name"] == "agent" and "terminated" in each["state"] for each in status.get("containerStatuses") or ()
    )


def _of_ended(status: Object) -> str:
    if status.get("reason") == "Evicted":
        return (
            f"The node put the workspace out ({_short(status.get('message'))}). Its files stay. Start it again; if it "
            "happens often, raise the template's requests."
        )
    for container in _containers(status):
        ended: Object = container["state"].get("terminated") or {}
        if ended and ended.get("exitCode"):
            return _of_container(container, ended)
    said = _short(status.get("message")) or _short(status.get("reason"))
    return f"The workspace's pod ended{f' ({said})' if said else ''}. Its files stay. Start it again."


def _of_container(container: Object, ended: Object) -> str:
    lines = str(ended.get("message") or "").strip().splitlines()
    said = _short(lines[-1] if lines else ended.get("reason"))
    if ended.get("reason") == "OOMKilled" or ended.get("exitCode") == OUT_OF_MEMORY:
        return "The workspace's memory was used up, and its pod was ended. Its files stay. Start it again."
    if container["name"] == "prepare":
        return (
            f"The workspace's volume cannot be written ({said}). Its storage class must honour fsGroup; "
            "name another with the template's setting 'storage_class'."
        )
    image = container["image"]
    return f"The agent program does not start in the image {image} ({said}). It needs a whole python3, 3.9 or newer."


def _containers(status: Object) -> Sequence[Object]:
    return [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]


def _moment(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")


def _short(text: object, most: int = 240) -> str:
    said = " ".join(str(text or "").split())
    return said if len(said) <= most else f"{said[:most]}…"
