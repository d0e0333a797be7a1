"""The drivers of a deployment: the local one, and engines and hosts as templates name them."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from perdure.core.errors import Misconfigured
from perdure.core.extras import require
from perdure.workspaces.driver import Driver
from perdure.workspaces.egress.control import EgressOptions

if TYPE_CHECKING:
    from perdure.workspaces.kubernetes.driver import KubernetesDriver

ENGINE = "unix:///var/run/docker.sock"
ENGINES = ("unix://", "tcp://", "http://", "https://")
SSH_PORT = "22"
KUBERNETES = "kubernetes"


class Drivers:
    """One driver for each engine or host, made when a workspace needs it first."""

    def __init__(
        self, folder: Path, local: Driver, egress: EgressOptions | None = None, deployment: str = "perdure"
    ) -> None:
        self._folder = folder
        self._deployment = deployment
        self.egress = egress or EgressOptions()
        self._known: dict[tuple[str, frozenset[tuple[str, str]]], Driver] = {("local", frozenset()): local}

    def of(self, name: str, settings: Mapping[str, str]) -> Driver:
        """The driver that a plan asks for by its template's settings."""
        makers: dict[str, Callable[[Mapping[str, str]], Driver]] = {
            "docker": self._docker,
            "ssh": self._ssh,
            KUBERNETES: self._kubernetes,
        }
        key = (name, frozenset(() if name == "local" else settings.items()))
        if key not in self._known:
            if name not in makers:
                raise Misconfigured(f"There is no driver {name!r}: a template names local, docker, kubernetes or ssh.")
            self._known[key] = makers[name](settings)
        return self._known[key]

    def cluster(self, settings: Mapping[str, str]) -> "KubernetesDriver":
        """That of a namespace, as a template names it."""
        return cast("KubernetesDriver", self.of(KUBERNETES, settings))

    async def close(self) -> None:
        for driver in self._known.values():
            await driver.close()

    def _docker(self, settings: Mapping[str, str]) -> Driver:
        engine = settings.get("engine", ENGINE)
        if not engine.startswith(ENGINES):
            raise Misconfigured(f"The template's setting 'engine' is not an address such as {ENGINE}: {engine!r}.")
        # Most deployments have no engine, and those that have load its client when a workspace needs it.
        require("docker")
        from perdure.workspaces.docker import DockerDriver, Engine  # noqa: PLC0415

        return DockerDriver(Engine(engine, _needed(settings, "image"), self._folder / "docker", self.egress))

    def _kubernetes(self, settings: Mapping[str, str]) -> Driver:
        """A kubeconfig is named, never part of a template: it is a file that whoever runs the server put there."""
        require("kubernetes")
        from perdure.workspaces.kubernetes import access, options  # noqa: PLC0415
        from perdure.workspaces.kubernetes.api import Cluster  # noqa: PLC0415
        from perdure.workspaces.kubernetes.driver import KubernetesDriver  # noqa: PLC0415

        wanted = options.pod_options(settings)
        if wanted.cluster:
            folder = self._folder / "kubernetes"
            path = folder / wanted.cluster
            if "/" in wanted.cluster or not (path.is_file() and os.access(path, os.R_OK)):
                place = f"{folder}/NAME, where the server can read it"
                raise Misconfigured(f"There is no kubeconfig {wanted.cluster!r}: put it at {place}.")
            found = access.from_kubeconfig(path)
        else:
            found = access.inside()
        return KubernetesDriver(Cluster(found), wanted.namespace or found.namespace, wanted, self._deployment)

    def _ssh(self, settings: Mapping[str, str]) -> Driver:
        """Keys are named, never part of a template: each is a file that whoever runs the server put there."""
        name, port = _needed(settings, "key"), settings.get("port", SSH_PORT)
        path = self._folder / "ssh" / name
        if "/" in name or not (path.is_file() and os.access(path, os.R_OK)):
            place = f"{self._folder / 'ssh'}/NAME, where the server can read it"
            raise Misconfigured(f"There is no SSH key {name!r}: put the private key at {place}.")
        root = _needed(settings, "root")
        if not root.startswith("/"):
            raise Misconfigured(f"The template's setting 'root' is not an absolute path: {root!r}.")
        if not port.isdecimal():
            raise Misconfigured(f"The template's setting 'port' is not a number: {port!r}.")
        # Most deployments never speak SSH, and its library is slow to load.
        require("ssh")
        from perdure.workspaces.ssh import SshDriver, SshHost  # noqa: PLC0415

        return SshDriver(
            SshHost(
                address=_needed(settings, "address"),
                port=int(port),
                user=_needed(settings, "user"),
                private_key=path.read_text(),
                host_key=_needed(settings, "host_key"),
                root=root,
            )
        )


def _needed(settings: Mapping[str, str], name: str) -> str:
    if not settings.get(name):
        raise Misconfigured(f"The template's driver needs the setting {name!r}.")
    return settings[name]
