"""What is in deploy/ fits what the program is: its numbers, its settings, its paths."""

import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import promql_parser
import pytest
import yaml

from perdure.cli.main import COMMANDS
from perdure.core.timing import DRAIN_ONCE_CALL, DRAIN_RELEASED
from perdure.observe.measures.all import Measures
from perdure.settings import described, variable
from perdure.stream.relay.wire import PATH as RELAY

DEPLOY = Path(__file__).parents[2] / "deploy"
METRICS = {each.name: each for each in Measures().metrics.described()}
FOREIGN = {"up", "process_resident_memory_bytes"}
EVERYWHERE = {"job", "instance", "le"}


def panels() -> list[dict[str, Any]]:
    dashboard = msgspec.json.decode((DEPLOY / "grafana/dashboards/perdure.json").read_bytes())
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"]
    return group["rules"]


EXPRESSIONS = [target["expr"] for panel in panels() for target in panel["targets"]] + [
    rule["expr"] for rule in alerts()
]


def selectors(node: Any) -> Iterator[Any]:
    """The series that an expression asks for."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        if (below := getattr(node, name, None)) is not None:
            yield from selectors(below)
    for argument in getattr(node, "args", None) or ():
        yield from selectors(argument)


def grouped(expression: str) -> set[str]:
    """The labels that are left."""
    return {label.strip() for group in re.findall(r"by \((.*?)\)", expression) for label in group.split(",")}


def metric_of(series: str) -> str:
    base = re.sub(r"_(bucket|count|sum)$", "", series)
    return base if METRICS.get(base) and METRICS[base].kind == "histogram" else series


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_series_that_is_asked_for_exists_with_its_labels(expression: str) -> None:
    parsed = promql_parser.parse(expression.replace("$__rate_interval", "5m"))
    asked = list(selectors(parsed))
    assert asked
    counted = set(re.findall(r"\b(?:rate|increase)\((\w+)", expression))
    known = set(EVERYWHERE)
    for selector in asked:
        if selector.name not in FOREIGN:
            metric = METRICS[metric_of(selector.name)]
            known |= set(metric.labels)
            # What only grows is asked how fast it does, what goes up and down how it stands.
            assert (metric.kind != "gauge") == (selector.name in counted)
            assert {matcher.name for matcher in selector.matchers.matchers} <= set(metric.labels) | EVERYWHERE
    assert grouped(expression) <= known


def test_a_legend_names_labels_that_are_left() -> None:
    targets = [target for panel in panels() for target in panel["targets"]]
    named = [(set(re.findall(r"{{(\w+)}}", target["legendFormat"])), target["expr"]) for target in targets]
    assert [expression for labels, expression in named if not labels <= grouped(expression)] == []


def test_every_metric_is_on_the_dashboard_or_in_an_alert() -> None:
    shown = " ".join(EXPRESSIONS)
    assert [name for name in METRICS if name not in shown] == []


def test_an_alert_says_how_bad_it_is_and_what_to_do() -> None:
    assert [rule["alert"] for rule in alerts() if not rule["annotations"]["summary"].endswith(".")] == []
    assert {rule["labels"]["severity"] for rule in alerts()} == {"critical", "warning", "info"}
    assert len({rule["alert"] for rule in alerts()}) == len(alerts())


def test_whoever_is_woken_when_nobody_drives_chats_is_also_woken_when_nobody_is_there_to_say_so() -> None:
    (critical,) = (rule["expr"] for rule in alerts() if rule["labels"]["severity"] == "critical")
    assert critical == "(sum(perdure_lease_held and perdure_chats_capacity > 0) or vector(0)) == 0"


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_the_services_use_settings_that_exist_and_files_that_are_there() -> None:
    known = {variable(name) for name in described()} | {"FORWARDED_ALLOW_IPS"}
    assert set(compose()["services"]["replica"]["environment"]) <= known
    mounts = [mount.split(":")[0] for service in compose()["services"].values() for mount in service.get("volumes", [])]
    assert [mount for mount in mounts if mount.startswith(".") and not (DEPLOY / mount).exists()] == []
    assert {mount for mount in mounts if not mount.startswith(".")} == set(compose()["volumes"])
    assert (DEPLOY / compose()["services"]["replica"]["build"]["context"] / "deploy/Containerfile").exists()


def test_two_replicas_are_started_and_each_is_asked_for_its_numbers() -> None:
    assert compose()["services"]["replica"]["deploy"]["replicas"] == 2
    scrape = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"][0]
    assert scrape["dns_sd_configs"] == [{"names": ["replica"], "type": "A", "port": 8080}]
    assert "PERDURE_BIND=0.0.0.0:8080" in (DEPLOY / "Containerfile").read_text()


def test_the_example_environment_names_what_the_services_ask_for() -> None:
    asked = set(re.findall(r"\$\{(\w+):", (DEPLOY / "compose.yaml").read_text()))
    named = {line.split("=")[0] for line in (DEPLOY / "example.env").read_text().splitlines() if "=" in line}
    assert {name for name in asked if f"{name}" not in named} == set()


def test_the_unit_waits_as_long_as_a_drain_may_take_and_ends_nothing_else() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]
    unit.read(DEPLOY / "perdure@.service")
    longest = (DRAIN_ONCE_CALL + DRAIN_RELEASED).total_seconds()
    assert float(unit["Service"]["TimeoutStopSec"]) > longest
    assert compose()["services"]["replica"]["stop_grace_period"] == f"{unit['Service']['TimeoutStopSec']}s"
    # Whatever runs in workspaces outlives the replica that started it.
    assert unit["Service"]["KillMode"] == "process"
    words = unit["Service"]["ExecStart"].split()
    assert words[1] in COMMANDS


@pytest.mark.parametrize("name", ["Caddyfile", "nginx.conf"])
def test_a_proxy_hides_what_is_not_for_the_world(name: str) -> None:
    text = (DEPLOY / name).read_text()
    assert "/metrics" in text
    assert RELAY in text
