"""A replica's numbers as Prometheus would read them."""

from prometheus_client.parser import text_string_to_metric_families

from perdure.observe.metrics import Metrics


class MetricReader:
    """`numbers("perdure_turns_total", outcome="finished")`: one sample, 0 where there is none."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def __call__(self, name: str, **labels: str) -> float:
        return sample(self._metrics.render().decode(), name, **labels)


def sample(text: str, name: str, **labels: str) -> float:
    """One sample of a page of numbers."""
    return next(
        (
            found.value
            for family in text_string_to_metric_families(text)
            for found in family.samples
            if (found.name, found.labels) == (name, labels)
        ),
        0.0,
    )
