"""Clusters that workspaces run on: what each really does, which is not always what it accepts."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.errors import PerdureError
from perdure.settings import Settings
from perdure.store.scopes import Database
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.orphans import cluster_settings

if TYPE_CHECKING:
    from perdure.workspaces.kubernetes.abilities import Abilities, Storage
    from perdure.workspaces.kubernetes.driver import KubernetesDriver

_SUBJECT = "cluster"
_NO_CLASS = "Name a class that there is with the template's setting 'storage_class', or make one the default."
_NO_QUOTA = "Use a storage class whose volumes have a size, or give workspaces nodes of their own ('node_selector')."
_IGNORED = "Install a network that enforces them: Calico, Cilium, kube-router."


async def cluster_findings(db: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Each namespace is tried with three small pods, as before its first workspace."""
    folder = settings.data_dir
    drivers = Drivers(folder, LocalDriver(folder / "workspaces"))
    try:
        for way in await cluster_settings(db):
            try:
                async for finding in _tried(drivers.cluster(way)):
                    yield finding
            except PerdureError as error:
                sentence, _, remedy = str(error).partition(". ")
                yield bad(_SUBJECT, sentence, remedy)
    finally:
        await drivers.close()


async def _tried(driver: "KubernetesDriver") -> AsyncIterator[Finding]:
    url, namespace = driver.place
    yield _able(f"{url}, namespace {namespace}", await driver.abilities())
    try:
        yield _stored(await driver.storage())
    except PerdureError:
        # Nothing else needs the right to see classes.
        yield good("claims", "whether their size holds cannot be seen with these rights")


def _able(where: str, found: "Abilities") -> Finding:
    users = "pods have users of their own" if found.user_namespaces else "pods share the node's users"
    if not found.policies_hold:
        return off(_SUBJECT, f"{where}: {found.version} accepts network policies and ignores them; {users}", _IGNORED)
    return good(_SUBJECT, f"{where}: {found.version}; network policies hold; {users}")


def _stored(found: "Storage | None") -> Finding:
    if found is None:
        return bad("claims", "the storage class that they ask for is not there", _NO_CLASS)
    if not found.limited:
        return off("claims", f"those of class {found.name} ({found.provisioner}) have no size that holds", _NO_QUOTA)
    return good("claims", f"of class {found.name} ({found.provisioner})")
