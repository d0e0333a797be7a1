"""The objects of a workspace give its pod no right that it does not need."""

import json
from uuid import UUID

import pytest

from perdure.core.errors import Misconfigured
from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import Limits, Plan
from perdure.workspaces.kubernetes import manifests
from perdure.workspaces.kubernetes.manifests import Setting
from perdure.workspaces.kubernetes.options import pod_options

PLAN = Plan(WorkspaceId(UUID(int=7)), limits=Limits(memory_bytes=1 << 30, processes=64), environment={"A": "secret"})


def setting(*, user_namespaces: bool = True, **more: str) -> Setting:
    return Setting("d", pod_options({"image": "tools:1", **more}), user_namespaces)


@pytest.mark.parametrize("role", ["agent", "view"])
def test_every_container_is_restricted(role: str) -> None:
    spec = manifests.pod(PLAN, setting(), role)["spec"]
    assert spec["automountServiceAccountToken"] is False
    assert spec["hostUsers"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in [*spec["initContainers"], *spec["containers"]]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert container["resources"]["limits"]["memory"]


def test_only_the_neighbour_sees_the_records_and_the_token() -> None:
    spec = manifests.pod(PLAN, setting(), "agent")["spec"]
    agent = next(each for each in spec["containers"] if each["name"] == "agent")
    assert {(mount["name"], mount.get("subPath")) for mount in agent["volumeMounts"]} == {
        ("program", None), ("files", "tree"), ("files", "home"), ("handover", None), ("temporary", None),
    }  # fmt: skip
    written = {mount["name"] for mount in agent["volumeMounts"] if not mount.get("readOnly")}
    assert written == {"files", "temporary"}
    assert "secret" not in json.dumps(spec["containers"]).replace("secretName", "")


def test_the_view_has_the_files_read_only_and_on_the_same_node() -> None:
    spec = manifests.pod(PLAN, setting(), "view")["spec"]
    agent = next(each for each in spec["containers"] if each["name"] == "agent")
    read_only = {mount["mountPath"]: mount.get("readOnly", False) for mount in agent["volumeMounts"]}
    assert read_only[manifests.TREE] is read_only[manifests.HOME] is True
    assert spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]


def test_what_the_template_says_arrives() -> None:
    said = setting(
        user_namespaces=False, storage_class="fast", runtime_class="gvisor", node_selector="pool=a, arch=amd64", cpu="2"
    )
    spec = manifests.pod(PLAN, said, "agent")["spec"]
    claim = manifests.claim(PLAN, said)["spec"]
    agent = next(each for each in spec["containers"] if each["name"] == "agent")
    assert "hostUsers" not in spec
    assert spec["runtimeClassName"] == "gvisor"
    assert spec["nodeSelector"] == {"pool": "a", "arch": "amd64"}
    assert agent["resources"]["limits"] == {"memory": str(1 << 30), "cpu": "2"}
    assert claim["storageClassName"] == "fast"
    assert claim["resources"]["requests"]["storage"] == str(PLAN.limits.disk_bytes)


def test_two_workspaces_have_two_users() -> None:
    def user(number: int) -> int:
        plan = Plan(WorkspaceId(UUID(int=number)))
        return manifests.pod(plan, setting(), "agent")["spec"]["securityContext"]["runAsUser"]

    assert user(1) != user(2)
    assert all(0 < user(number) < 65_536 for number in (0, 1, 2**128 - 1))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "needs the setting 'image'"),
        ({"image": "a", "imgae": "b"}, "no setting 'imgae'"),
        ({"image": "a", "reach": "telepathy"}, "one of forward, direct"),
        ({"image": "a", "cpu": "lots"}, "not a quantity"),
        ({"image": "a", "node_selector": "pool"}, "not like pool=agents"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings: dict[str, str], told: str) -> None:
    with pytest.raises(Misconfigured, match=told):
        pod_options(settings)
