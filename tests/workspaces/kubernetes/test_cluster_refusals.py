"""What a real cluster refuses is told in one sentence with its remedy, and nothing half-made stays."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from tests.workspaces.kubernetes.place import IMAGE, NOTHING, Place, new_plan

from perdure.core.errors import Misconfigured
from perdure.workspaces.kubernetes.abilities import GROUPS, RIGHTS, SANDBOX_RIGHTS, lacking, probed
from perdure.workspaces.kubernetes.access import from_kubeconfig
from perdure.workspaces.kubernetes.api import CORE, Cluster, Object
from perdure.workspaces.kubernetes.driver import KubernetesDriver
from perdure.workspaces.kubernetes.options import pod_options

RBAC = "apis/rbac.authorization.k8s.io/v1"
ACCOUNT = "replica"
EVERYTHING = RIGHTS | SANDBOX_RIGHTS


class Account:
    """A service account of the namespace, as a replica would have one, and what it may do."""

    def __init__(self, place: Place, folder: Path) -> None:
        self._place, self._path = place, folder / "kubeconfig"

    async def make(self) -> None:
        place = self._place
        await place.cluster.create(CORE, "serviceaccounts", place.namespace, {"metadata": {"name": ACCOUNT}})
        subject = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": place.namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ACCOUNT}
        binding = {"metadata": {"name": ACCOUNT}, "roleRef": role, "subjects": [subject]}
        await place.cluster.create(RBAC, "rolebindings", place.namespace, binding)

    async def may(self, rights: Mapping[str, tuple[str, ...]]) -> None:
        rules = [
            {"apiGroups": [GROUPS.get(kind, "")], "resources": [kind], "verbs": list(verbs)}
            for kind, verbs in rights.items()
        ]
        await self._place.cluster.put(
            RBAC, "roles", self._place.namespace, {"metadata": {"name": ACCOUNT}, "rules": rules}
        )

    async def cluster(self, token: str = "") -> Cluster:
        """As this account, or with another token."""
        if not token:
            asked = {"spec": {"expirationSeconds": 600}}
            kind = f"serviceaccounts/{ACCOUNT}/token"
            made = await self._place.cluster.create(CORE, kind, self._place.namespace, asked)
            assert made is not None
            token = made["status"]["token"]
        self._path.write_text(yaml.safe_dump(self._config({"token": token})))
        return Cluster(from_kubeconfig(self._path))

    async def of_another_authority(self) -> Cluster:
        """As whoever has the authority of another cluster, or a clock by which this one's certificate has run out."""
        config = self._config({"token": "any"})
        del config["clusters"][0]["cluster"]["certificate-authority"]
        self._path.write_text(yaml.safe_dump(config))
        return Cluster(from_kubeconfig(self._path))

    def _config(self, user: Object) -> Object:
        config: Object = yaml.safe_load(self._place.kubeconfig.read_text())
        config["users"][0]["user"] = user
        return config


@pytest.fixture
async def account(place: Place, tmp_path: Path) -> Account:
    found = Account(place, tmp_path)
    await found.make()
    return found


OPTIONS = pod_options({"image": IMAGE, "resource": "sandbox"})


async def test_no_rights_are_told_before_anything_is_made(place: Place, account: Account) -> None:
    driver = KubernetesDriver(await account.cluster(), place.namespace, pod_options({"image": IMAGE}), "tests")
    with pytest.raises(Misconfigured) as caught:
        await driver.create(new_plan())
    assert "lacks rights" in str(caught.value)
    assert "get pods, list pods" in str(caught.value)
    assert str(caught.value).endswith("Give its service account the role that the chart has.")
    assert await place.left() == NOTHING
    assert await place.objects("pods", "perdure/probe") == []
    await driver.close()


async def test_each_right_that_is_missing_is_named_and_no_other_is_needed(place: Place, account: Account) -> None:
    await account.may(EVERYTHING)
    cluster = await account.cluster()
    assert await lacking(cluster, place.namespace, OPTIONS) == []
    for kind, verbs in EVERYTHING.items():
        for verb in verbs:
            left = {**EVERYTHING, kind: tuple(each for each in verbs if each != verb)}
            await account.may({name: some for name, some in left.items() if some})
            found = [f"{verb} {kind}"]
            while (said := await lacking(cluster, place.namespace, OPTIONS)) != found:
                # What may be done is known a moment after it is written.
                assert len(said) <= 2
    await cluster.close()


async def test_these_rights_are_enough_for_a_whole_life(place: Place, account: Account) -> None:
    await account.may(RIGHTS)
    cluster = await account.cluster()
    options = pod_options({"image": IMAGE, "storage_class": "folders"})
    abilities = await probed(cluster, place.namespace, options)
    driver, plan = KubernetesDriver(cluster, place.namespace, options, "tests", abilities), new_plan()
    await driver.create(plan)
    async with await driver.start(plan) as client:
        await client.files.write("file", "kept")
    async with await driver.view(plan) as view:
        assert await view.files.content("file", 10) == b"kept"
    await driver.stop(plan)
    assert await driver.held() == [plan.id]
    await driver.remove(plan)
    assert await place.left() == NOTHING
    await driver.close()


async def test_credentials_that_are_not_accepted_any_more_are_named(place: Place, account: Account) -> None:
    driver = KubernetesDriver(
        await account.cluster("expired"), place.namespace, pod_options({"image": IMAGE}), "tests", place.abilities
    )
    with pytest.raises(Misconfigured, match="does not accept our credentials: renew the token or the kubeconfig"):
        await driver.create(new_plan())
    await driver.close()


async def test_a_certificate_that_is_not_accepted_is_told_with_the_clocks(place: Place, account: Account) -> None:
    driver = KubernetesDriver(
        await account.of_another_authority(), place.namespace, pod_options({"image": IMAGE}), "tests", place.abilities
    )
    with pytest.raises(Misconfigured, match="certificate-authority, and the clocks"):
        await driver.create(new_plan())
    await driver.close()


async def test_a_namespace_that_is_being_deleted_is_named(place: Place) -> None:
    held = {"metadata": {"name": "held", "finalizers": ["perdure.test/held"]}}
    await place.cluster.create(CORE, "configmaps", place.namespace, held)
    await place.cluster.delete(CORE, "namespaces", "", place.namespace)
    driver = place.driver()
    with pytest.raises(Misconfigured, match=r"The namespace is being deleted .* Name another"):
        await driver.create(new_plan())
    assert await place.left() == NOTHING
    await driver.close()
    free: Object = {"metadata": {"finalizers": None}}
    await place.cluster.merge(CORE, "configmaps", place.namespace, "held", free)
