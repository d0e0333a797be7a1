"""What is measured of agents that work for other chats, and of the advisor."""

from perdure.core.usage import Usage
from perdure.observe.metrics import Metrics


class AgentMeasures:
    """Counts agents, waits and advice. What the advisor uses is counted apart from the answers of chats."""

    def __init__(self, metrics: Metrics) -> None:
        self._started = metrics.counter("agents_started", "Agents that were started.", "type")
        self._waits = metrics.counter("agent_waits_ended", "Waits that ended: woken, swept, timed_out.", "by")
        self._advice = metrics.counter("advisor_calls", "Questions to the advisor, by what they came to.", "outcome")
        self._tokens = metrics.counter("advisor_tokens", "Tokens that the advisor used.", "kind")
        self._cost = metrics.counter("advisor_cost_microdollars", "What the advisor cost, in millionths of a dollar.")

    def started(self, kind: str) -> None:
        self._started.labels(kind).inc()

    def wait_ended(self, by: str) -> None:
        self._waits.labels(by).inc()

    def advised(self, outcome: str) -> None:
        self._advice.labels(outcome).inc()

    def paid(self, usage: Usage | None, cost: int | None) -> None:
        if usage is not None:
            self._tokens.labels("input").inc(usage.input)
            self._tokens.labels("output").inc(usage.output)
        self._cost.inc(cost or 0)
