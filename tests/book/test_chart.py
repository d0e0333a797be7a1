"""The chart, and the manifests that are written from it, fit the server that they run."""

import json
import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest
import yaml

from perdure.core.timing import DRAIN, DRAIN_ONCE_CALL
from perdure.settings import described, variable
from perdure.workspaces.kubernetes.abilities import GROUPS, RIGHTS, SANDBOX_RIGHTS

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/chart"
OBJECTS: list[dict[str, Any]] = [
    each for each in yaml.safe_load_all((ROOT / "deploy/kubernetes/perdure.yaml").read_text()) if each
]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [each for each in OBJECTS if each["kind"] == kind]


def written() -> Any:
    loader = SourceFileLoader("write_manifests", str(ROOT / "scripts/write-manifests"))
    module = module_from_spec(spec_from_loader("write_manifests", loader) or pytest.fail("no spec"))
    loader.exec_module(module)
    return module


def rights(rules: list[dict[str, Any]]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {each["resources"][0]: (each["apiGroups"][0], tuple(each["verbs"])) for each in rules}


def test_the_manifests_are_those_of_the_chart_as_it_is() -> None:
    assert written().digest() in (ROOT / "deploy/kubernetes/perdure.yaml").read_text().splitlines()[0], (
        "run scripts/write-manifests"
    )


def test_the_role_has_the_rights_of_the_driver_and_no_others() -> None:
    wanted = {kind: (GROUPS.get(kind, ""), verbs) for kind, verbs in RIGHTS.items()}
    (role,) = of_kind("Role")
    assert rights(role["rules"]) == wanted
    inline = re.findall(r"- (\{apiGroups.*\})", (CHART / "templates/account.yaml").read_text())
    with_sandboxes = rights([yaml.safe_load(line) for line in inline])
    assert with_sandboxes == wanted | {kind: (GROUPS[kind], verbs) for kind, verbs in SANDBOX_RIGHTS.items()}


def test_a_replica_is_told_settings_that_there_are() -> None:
    known = {variable(name) for name in described()}
    for path in (CHART / "templates").iterdir():
        said = set(re.findall(r"\bPERDURE_[A-Z_0-9]+", path.read_text()))
        assert said <= known, path.name


def test_a_replica_has_time_to_hand_its_chats_over() -> None:
    (deployment,) = of_kind("Deployment")
    pod = deployment["spec"]["template"]["spec"]
    values = yaml.safe_load((CHART / "values.yaml").read_text())["drain"]
    assert (values["seconds"], values["onceSeconds"]) == (DRAIN.total_seconds(), DRAIN_ONCE_CALL.total_seconds())
    (replica,) = pod["containers"]
    before = int(replica["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > before + DRAIN_ONCE_CALL.total_seconds()
    assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_a_replica_passes_the_restricted_level_of_pod_security() -> None:
    (deployment,) = of_kind("Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in (*pod["containers"], *pod["initContainers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_services_lead_to_the_replicas() -> None:
    (deployment,) = of_kind("Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for service in of_kind("Service"):
        assert service["spec"]["selector"].items() <= labels.items()
    (budget,) = of_kind("PodDisruptionBudget")
    assert budget["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_the_schema_of_the_values_knows_every_value() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    unknown = _unknown(values, schema, schema["definitions"])
    assert unknown == []


def _unknown(values: dict[str, Any], schema: dict[str, Any], definitions: dict[str, Any], place: str = "") -> list[str]:
    properties = schema.get("properties")
    if properties is None:
        return []
    found: list[str] = []
    for name, value in values.items():
        if name not in properties:
            found.append(f"{place}{name}")
        elif isinstance(value, dict):
            inner: dict[str, Any] = properties[name]
            resolved = definitions[inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner
            found += _unknown(value, resolved, definitions, f"{place}{name}.")  # pyright: ignore[reportUnknownArgumentType]
    return found
