"""What is measured of calls to models: how long, how large, how much of it cached, what it costs."""

from perdure.core.usage import Usage
from perdure.observe.labels import MODELS, Bounded
from perdure.observe.metrics import Metrics

_DOLLAR = 1_000_000


class CallMeasures:
    """Counts every request to a provider, whatever it is for."""

    def __init__(self, metrics: Metrics) -> None:
        self.models = Bounded(MODELS)
        self.providers = Bounded(MODELS)
        self._calls = metrics.counter(
            "model_calls", "Requests to providers, by what they are for and how they ended.",
            "provider", "model", "purpose", "outcome",
        )  # fmt: skip
        self._seconds = metrics.seconds(
            "model_call", "From sending a request to the end of its answer.", "provider", "model"
        )
        self._first = metrics.seconds(
            "first_token", "From sending a request to the first piece of its answer.", "provider", "model"
        )
        self._tokens = metrics.counter(
            "tokens", "Tokens: input (cached ones included), output, reasoning, cache_read, cache_write.",
            "model", "kind",
        )  # fmt: skip
        self._cost = metrics.counter("cost_dollars", "What calls cost at list price.", "model")
        self._unpriced = metrics.counter("unpriced_calls", "Calls whose price nobody knows.", "model")
        self.unrecorded = metrics.counter("debug_runs_lost", "Calls that were to be kept and could not be.")
        self._bytes = metrics.sizes("prompt_bytes", "How large requests are.")
        self._messages = metrics.counts("prompt_messages", "How many messages a request carries.")
        self._prompt = metrics.sizes("prompt_tokens", "How many tokens the provider counted in a prompt.")

    def sent(self, size: int, messages: int) -> None:
        self._bytes.observe(size)
        if messages:
            self._messages.observe(messages)

    def began(self, provider: str, model: str, seconds: float) -> None:
        self._first.labels(self.providers(provider), self.models(model)).observe(seconds)

    def ended(self, provider: str, model: str, *, purpose: str, outcome: str, seconds: float) -> None:
        provider, model = self.providers(provider), self.models(model)
        self._calls.labels(provider, model, purpose, outcome).inc()
        self._seconds.labels(provider, model).observe(seconds)

    def used(self, model: str, usage: Usage, cost: int | None) -> None:
        """Tokens, and what they cost in micro-dollars where that is known."""
        model = self.models(model)
        for kind in ("input", "output", "reasoning", "cache_read", "cache_write"):
            if count := getattr(usage, kind):
                self._tokens.labels(model, kind).inc(count)
        self._prompt.observe(usage.input)
        if cost is None:
            self._unpriced.labels(model).inc()
        else:
            self._cost.labels(model).inc(cost / _DOLLAR)
