"""What is measured of turns: their steps, attempts, retries, errors, and how long people wait."""

from perdure.observe.metrics import Metrics


class TurnMeasures:
    """Counts what commits say."""

    def __init__(self, metrics: Metrics) -> None:
        self.turns = metrics.counter("turns", "Turns that ended: finished, failed, interrupted or edited.", "outcome")
        self.turn_seconds = metrics.seconds(
            "turn", "From the message that began a turn to its end, whichever replica it began on.", "outcome"
        )
        self.steps = metrics.counter("steps", "Steps that were committed: answer, tools or compaction.", "kind")
        self.step_seconds = metrics.seconds("step", "From the commit before a step to its own.", "kind")
        self.attempts = metrics.counter("attempts", "Tries at a step that were begun.")
        self.retries = metrics.counter("retries", "Attempts that failed and are tried again, by kind of error.", "kind")
        self.errors = metrics.counter("turn_errors", "Turns that an error ended, by its kind.", "kind")
        self.compactions = metrics.counter(
            "compactions", "Histories that were compacted: by a summary, or cut where no model gave one.",
            "source", "result",
        )  # fmt: skip
        self.actions = metrics.counter("actions", "Chats that began to wait for somebody, by what for.", "kind")
        self.queue_wait = metrics.seconds(
            "queue_wait",
            "How long messages waited in the queue until they were taken up, whichever replica queued them.",
        )
        self.stale_work = metrics.counter("stale_work", "Duties that ended because the chat had moved on without them.")
