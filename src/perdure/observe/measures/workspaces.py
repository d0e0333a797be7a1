"""What is measured of workspaces: making, starting, stopping them, and how soon a stopped command is quiet."""

from perdure.observe.metrics import Metrics


class WorkspaceMeasures:
    """Counts what this replica does with workspaces."""

    def __init__(self, metrics: Metrics) -> None:
        self._built = metrics.counter("workspaces_built", "Workspaces made from a template: ok or failed.", "outcome")
        self._build = metrics.seconds("workspace_build", "How long making a workspace took.")
        self._opened = metrics.seconds("workspace_open", "How long reaching a workspace took, its start included.")
        self._stopped = metrics.counter("workspaces_stopped", "Workspaces stopped: asked or idle.", "why")
        self._quiet = metrics.seconds("workspace_quiet", "From a stop until nothing of a command ran any more.")
        self.terminals = metrics.gauge("terminals_open", "Terminals that somebody looks at now.")
        self.watched = metrics.gauge("workspaces_watched", "Workspaces whose git state and context are watched now.")

    def built(self, seconds: float, *, failed: bool) -> None:
        self._built.labels("failed" if failed else "ok").inc()
        self._build.observe(seconds)

    def opened(self, seconds: float) -> None:
        self._opened.observe(seconds)

    def stopped(self, why: str) -> None:
        self._stopped.labels(why).inc()

    def quiet(self, seconds: float) -> None:
        self._quiet.observe(seconds)
