"""What a template says of its pods, read from its settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from perdure.core.errors import Misconfigured

QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?")
CHOICES = {
    "user_namespaces": ("auto", "on", "off"),
    "network_policy": ("required", "trusted"),
    "reach": ("forward", "direct"),
    "resource": ("pod", "sandbox"),
    "access_mode": ("ReadWriteOnce", "ReadWriteMany"),
}
QUANTITIES = ("cpu", "cpu_request", "memory_request", "temporary")
TEXTS = (
    "image", "cluster", "namespace", "storage_class", "runtime_class", "priority_class", "node_selector", "pull_secret",
)  # fmt: skip
KNOWN = (*TEXTS, *QUANTITIES, *CHOICES)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodOptions:
    image: str
    cluster: str = ""
    """Which kubeconfig; none for the cluster that the server runs in."""
    namespace: str = ""
    storage_class: str = ""
    access_mode: str = "ReadWriteOnce"
    runtime_class: str = ""
    priority_class: str = ""
    pull_secret: str = ""
    node_selector: Mapping[str, str] = field(default_factory=dict[str, str])
    cpu: str = ""
    cpu_request: str = "50m"
    memory_request: str = "128Mi"
    temporary: str = "1Gi"
    """How large /tmp may become."""
    user_namespaces: str = "auto"
    """Whether root inside is nobody outside; `auto` where the cluster can."""
    network_policy: str = "required"
    """`trusted` where whoever runs the cluster says that policies hold, though that cannot be seen."""
    reach: str = "forward"
    """`direct` where replicas have a route to pods."""
    resource: str = "pod"
    """`sandbox` where the cluster has the resources of agent-sandbox."""


def pod_options(settings: Mapping[str, str]) -> PodOptions:
    for name, value in settings.items():
        if name not in KNOWN:
            raise Misconfigured(f"The kubernetes driver has no setting {name!r}: it has {', '.join(KNOWN)}.")
        if name in CHOICES and value not in CHOICES[name]:
            raise Misconfigured(f"The template's setting {name!r} is one of {', '.join(CHOICES[name])}: {value!r}.")
        if name in QUANTITIES and not QUANTITY.fullmatch(value):
            raise Misconfigured(f"The template's setting {name!r} is not a quantity such as 500m or 2Gi: {value!r}.")
    if not settings.get("image"):
        raise Misconfigured("The template's driver needs the setting 'image'.")
    texts = {name: value for name, value in settings.items() if name != "node_selector"}
    return PodOptions(node_selector=_labels(settings.get("node_selector", "")), **texts)


def _labels(text: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Misconfigured(f"The template's setting 'node_selector' is not like pool=agents,arch=amd64: {text!r}.")
        labels[name] = value
    return labels
