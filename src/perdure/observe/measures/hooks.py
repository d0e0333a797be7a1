"""What is measured of hooks: how often each point was asked, what came of it, and how long people waited for it."""

from perdure.observe.metrics import Metrics


class HookMeasures:
    """Counts by event."""

    def __init__(self, metrics: Metrics) -> None:
        self._asked = metrics.counter(
            "hook_questions",
            "Questions to hooks, by what came of them: allowed, added, rewritten, denied or failed.",
            "event",
            "outcome",
        )
        self._seconds = metrics.seconds("hook", "How long a hook took to answer.", "event")

    def asked(self, event: str, outcome: str, seconds: float) -> None:
        self._asked.labels(event, outcome).inc()
        self._seconds.labels(event).observe(seconds)
