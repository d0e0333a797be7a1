"""The numbers of a replica, as Prometheus reads them."""

from perdure.observe.measures.all import Measures
from perdure.observe.measures.work import Bounded, CallMeasures
from perdure.observe.metrics import Metrics
from perdure.testing.metric_reader import MetricReader


def test_numbers_are_named_for_the_project_and_shown() -> None:
    metrics = Metrics()
    metrics.counter("turns", "Turns that came to rest.", "outcome").labels("done").inc(2)
    metrics.seconds("commit", "How long a commit takes.").observe(0.02)
    shown = metrics.render().decode().splitlines()
    assert 'perdure_turns_total{outcome="done"} 2.0' in shown
    assert 'perdure_commit_seconds_bucket{le="0.025"} 1.0' in shown


def test_two_replicas_in_one_process_do_not_share_numbers() -> None:
    first, second = Metrics(), Metrics()
    first.gauge("chats", "Chats that are driven.").set(7)
    assert b"perdure_chats" not in second.render()


def test_a_reading_is_looked_at_when_it_is_asked_for() -> None:
    metrics = Metrics()
    open_now = metrics.read_gauge("streams", "Open streams.")
    ended = metrics.read_counter("ended", "Ended streams.", "reason")
    counts = {"slow": 1}
    open_now.read, ended.read = lambda: 3, lambda: counts
    counts["slow"] = 2
    numbers = MetricReader(metrics)
    assert numbers("perdure_streams") == 3
    assert numbers("perdure_ended_total", reason="slow") == 2


def test_the_value_after_the_last_that_fits_is_called_other() -> None:
    bounded = Bounded(2)
    assert [bounded(value) for value in ("a", "b", "c", "a", "d")] == ["a", "b", "other", "a", "other"]


def test_a_thousand_models_are_not_a_thousand_series() -> None:
    metrics = Metrics()
    calls = CallMeasures(metrics)
    for number in range(1_000):
        calls.ended("Somebody", f"model-{number}", purpose="answer", outcome="ok", seconds=1)
    series = [line for line in metrics.render().decode().splitlines() if line.startswith("perdure_model_calls_total")]
    assert len(series) == 61
    labels = {"provider": "Somebody", "purpose": "answer", "outcome": "ok"}
    assert MetricReader(metrics)("perdure_model_calls_total", **labels, model="other") == 940


def test_everything_that_is_measured_says_what_it_is() -> None:
    described = Measures().metrics.described()
    assert len({each.name for each in described}) == len(described)
    assert [each.name for each in described if not each.about.endswith(".")] == []
