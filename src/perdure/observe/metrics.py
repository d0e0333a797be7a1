"""Numbers about the running system, in Prometheus' format. One registry to a replica, none to the process."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "perdure"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """Makes and shows the numbers of one replica."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(name, about, labels, namespace=_PREFIX, registry=self._registry)

    def gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(name, about, labels, namespace=_PREFIX, registry=self._registry)

    def seconds(self, name: str, about: str, *labels: str) -> Histogram:
        """How long something takes."""
        return Histogram(f"{name}_seconds", about, labels, namespace=_PREFIX, registry=self._registry, buckets=_SECONDS)

    def render(self) -> bytes:
        return generate_latest(self._registry)
