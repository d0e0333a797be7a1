"""Everything that one replica measures."""

from perdure.observe.measures.service import (
    DatabaseMeasures,
    ObjectMeasures,
    ReplicaMeasures,
    RequestMeasures,
    StreamMeasures,
    WorkspaceMeasures,
)
from perdure.observe.measures.work import (
    AgentMeasures,
    CallMeasures,
    HookMeasures,
    McpMeasures,
    ScheduleMeasures,
    ToolMeasures,
    TriggerMeasures,
    TurnMeasures,
    WebhookMeasures,
)
from perdure.observe.metrics import Metrics


class Measures:
    """One group for each part of the system, over one registry."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        self.metrics = metrics or Metrics()
        self.turns = TurnMeasures(self.metrics)
        self.calls = CallMeasures(self.metrics)
        self.tools = ToolMeasures(self.metrics)
        self.agents = AgentMeasures(self.metrics)
        self.hooks = HookMeasures(self.metrics)
        self.webhooks = WebhookMeasures(self.metrics)
        self.schedules = ScheduleMeasures(self.metrics)
        self.triggers = TriggerMeasures(self.metrics)
        self.mcp = McpMeasures(self.metrics)
        self.replica = ReplicaMeasures(self.metrics)
        self.streams = StreamMeasures(self.metrics)
        self.database = DatabaseMeasures(self.metrics)
        self.objects = ObjectMeasures(self.metrics)
        self.requests = RequestMeasures(self.metrics)
        self.workspaces = WorkspaceMeasures(self.metrics)
