"""What is measured of the work of chats: turns, calls to models, tools, agents, hooks and MCP servers."""

from perdure.core.message import Usage
from perdure.observe.metrics import Metrics

OTHER = "other"
MODELS = 60
TOOLS = 80


class Bounded:
    """Lets so many values through, and calls the rest `other`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known = set[str]()

    def __call__(self, value: str) -> str:
        if value not in self._known:
            if len(self._known) >= self._limit:
                return OTHER
            self._known.add(value)
        return value


_DOLLAR = 1_000_000
UNKNOWN = "unknown"
MCP = "mcp"
SERVERS = 100


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


class ToolMeasures:
    """Counts calls by tool. A name that a model made up is `unknown`; those of MCP servers go together."""

    def __init__(self, metrics: Metrics) -> None:
        self._names = Bounded(TOOLS)
        self._calls = metrics.counter("tool_calls", "Calls that got a result: ok or error.", "tool", "outcome")
        self._seconds = metrics.seconds("tool", "How long a call ran.", "tool")
        self._bytes = metrics.sizes("tool_result_bytes", "How long results are before they are cut.", "tool")

        self._refused = metrics.counter(
            "tool_batches_refused", "Batches of which nothing ran, by the tool that must run alone and did not.", "tool"
        )

    def refused(self, tool: str) -> None:
        """A batch with a tool that must be alone, and was not."""
        self._refused.labels(self._names(tool)).inc()

    def ran(self, tool: str, *, seconds: float, size: int, is_error: bool) -> None:
        name = self._names(tool)
        self._calls.labels(name, "error" if is_error else "ok").inc()
        self._seconds.labels(name).observe(seconds)
        self._bytes.labels(name).observe(size)


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


class WebhookMeasures:
    """Counts deliveries."""

    def __init__(self, metrics: Metrics) -> None:
        self._deliveries = metrics.counter(
            "webhook_deliveries", "Deliveries to webhooks: delivered, failed and tried again, or dead.", "outcome"
        )

    def delivered(self, outcome: str) -> None:
        self._deliveries.labels(outcome).inc()


class TriggerMeasures:
    """Counts what programs send."""

    def __init__(self, metrics: Metrics) -> None:
        self._deliveries = metrics.counter(
            "trigger_deliveries", "Deliveries to triggers, by what came of them: begun, failed or skipped.", "outcome"
        )

    def delivered(self, outcome: str) -> None:
        self._deliveries.labels(outcome).inc()


class ScheduleMeasures:
    """Counts what becomes of due times."""

    def __init__(self, metrics: Metrics) -> None:
        self._runs = metrics.counter(
            "schedule_runs", "Due times of schedules, by what came of them: begun, failed or skipped.", "outcome"
        )
        self._late = metrics.seconds("schedule_lateness", "How long after its due time a run began.")

    def ran(self, outcome: str, times: int = 1) -> None:
        self._runs.labels(outcome).inc(times)

    def late(self, seconds: float) -> None:
        self._late.observe(seconds)


class McpMeasures:
    """Counts by server; beyond so many they go together."""

    def __init__(self, metrics: Metrics) -> None:
        self._names = Bounded(SERVERS)
        self._connections = metrics.counter(
            "mcp_connections", "Attempts to connect to an MCP server: opened or failed.", "server", "outcome"
        )
        self.open = metrics.read_gauge("mcp_connections_open", "Connections to MCP servers that are open now.")
        self._calls = metrics.counter("mcp_calls", "Calls of MCP tools: done, error or failed.", "server", "outcome")
        self._seconds = metrics.seconds("mcp_call", "How long a call of an MCP tool takes.", "server")

    def connected(self, server: str, *, opened: bool) -> None:
        self._connections.labels(self._names(server), "opened" if opened else "failed").inc()

    def called(self, server: str, outcome: str, seconds: float) -> None:
        self._calls.labels(self._names(server), outcome).inc()
        self._seconds.labels(self._names(server)).observe(seconds)
