"""Numbers about the running system, in Prometheus' format. One registry to a replica, none to the process."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "perdure"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_SIZES = (256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304)
_COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)

M = TypeVar("M", Counter, Gauge, Histogram)
Values: TypeAlias = float | Mapping[str, float]
"""One number, or one for each value of the label."""


@dataclass(frozen=True, slots=True)
class Described:
    """What is known of a metric without looking at its numbers."""

    name: str
    kind: str
    about: str
    labels: tuple[str, ...]


class Reading:
    """A number that somebody keeps anyway, and that is only looked at when it is asked for."""

    def __init__(self, described: Described) -> None:
        self.described = described
        self.read: Callable[[], Values] = lambda: 0.0


class _Counter(Counter):
    """Counts in one step: the library looks at every number whether it may be counted."""

    def inc(self, amount: float = 1, exemplar: dict[str, str] | None = None) -> None:
        if amount < 0 or exemplar is not None:
            super().inc(amount, exemplar)
        else:
            value: Any = self._value
            value.inc(amount)


class _Histogram(Histogram):
    """Finds its bucket by halves, where the library tries one after the other."""

    def observe(self, amount: float, exemplar: dict[str, str] | None = None) -> None:
        if exemplar is not None:
            super().observe(amount, exemplar)
            return
        total: Any = self._sum
        buckets: Any = self._buckets  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        total.inc(amount)
        buckets[bisect_left(self._upper_bounds, amount)].inc(1)


class Metrics(Collector):
    """Makes and shows the numbers of one replica."""

    def __init__(self) -> None:
        # A second series for every counter, which nobody asks for.
        disable_created_metrics()
        self._registry = CollectorRegistry(auto_describe=False)
        self._readings: list[Reading] = []
        self._described: list[Described] = []
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._registry.register(self)

    def counter(self, name: str, about: str, *labels: str) -> Counter:
        self._describe(f"{name}_total", "counter", about, labels)
        return _at_hand(_Counter(name, about, labels, namespace=PREFIX, registry=self._registry))

    def gauge(self, name: str, about: str, *labels: str) -> Gauge:
        self._describe(name, "gauge", about, labels)
        return _at_hand(Gauge(name, about, labels, namespace=PREFIX, registry=self._registry))

    def seconds(self, name: str, about: str, *labels: str) -> Histogram:
        """How long something takes."""
        return self._histogram(f"{name}_seconds", about, labels, _SECONDS)

    def sizes(self, name: str, about: str, *labels: str) -> Histogram:
        """How large something is, in bytes or tokens."""
        return self._histogram(name, about, labels, _SIZES)

    def counts(self, name: str, about: str, *labels: str) -> Histogram:
        """How many there are of something at a time."""
        return self._histogram(name, about, labels, _COUNTS)

    def read_gauge(self, name: str, about: str, *labels: str) -> Reading:
        return self._reading(name, "gauge", about, labels)

    def read_counter(self, name: str, about: str, *labels: str) -> Reading:
        return self._reading(f"{name}_total", "counter", about, labels)

    def described(self) -> tuple[Described, ...]:
        """Everything that is measured here, in the order in which it was made."""
        return tuple(self._described)

    def collect(self) -> Iterable[CounterMetricFamily | GaugeMetricFamily]:
        """What the readings say now."""
        for reading in self._readings:
            described = reading.described
            family = CounterMetricFamily if described.kind == "counter" else GaugeMetricFamily
            shown = family(described.name, described.about, labels=described.labels)
            values = reading.read()
            for label, value in (values if isinstance(values, Mapping) else {"": values}).items():
                shown.add_metric([label] if described.labels else [], value)
            yield shown

    def render(self) -> bytes:
        return generate_latest(self._registry)

    def _histogram(self, name: str, about: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        self._describe(name, "histogram", about, labels)
        made = _Histogram(name, about, labels, namespace=PREFIX, registry=self._registry, buckets=buckets)
        return _at_hand(made)

    def _reading(self, name: str, kind: str, about: str, labels: Sequence[str]) -> Reading:
        reading = Reading(self._describe(name, kind, about, labels))
        self._readings.append(reading)
        return reading

    def _describe(self, name: str, kind: str, about: str, labels: Sequence[str]) -> Described:
        described = Described(f"{PREFIX}_{name}", kind, about, tuple(labels))
        self._described.append(described)
        return described


def merged(pages: Mapping[str, bytes]) -> bytes:
    """Prometheus' text of several processes, by their names. A family's samples stay together, as the format wants."""
    families: dict[str, list[str]] = {}
    samples: dict[str, list[str]] = {}
    for process, page in pages.items():
        family = ""
        for line in page.decode().split("\n"):
            if line.startswith("# HELP "):
                family = line.split(" ", 3)[2]
            if line.startswith("#"):
                header = families.setdefault(family, [])
                if line not in header:
                    header.append(line)
            elif line:
                samples.setdefault(family, []).append(_labelled(line, process))
    lines = [line for family, header in families.items() for line in (*header, *samples.get(family, ()))]
    return "".join(f"{line}\n" for line in lines).encode()


def _labelled(sample: str, process: str) -> str:
    label = f'process="{process}"'
    name, brace, rest = sample.partition("{")
    if brace and " " not in name:
        return f"{name}{{{label},{rest}" if not rest.startswith("}") else f"{name}{{{label}{rest}"
    name, _, value = sample.partition(" ")
    return f"{name}{{{label}}} {value}"


def _at_hand(metric: M) -> M:
    """The metric, which finds the number of given labels again without a lock. Nobody takes one away."""
    metric.labels = cache(metric.labels)  # pyright: ignore[reportAttributeAccessIssue] - of each kind its own
    return metric
