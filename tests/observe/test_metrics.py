"""The numbers of a replica, as Prometheus reads them."""

from perdure.observe.metrics import Metrics


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
