"""Everything that one replica measures."""

from perdure.observe.measures.agents import AgentMeasures
from perdure.observe.measures.calls import CallMeasures
from perdure.observe.measures.database import DatabaseMeasures
from perdure.observe.measures.hooks import HookMeasures
from perdure.observe.measures.mcp import McpMeasures
from perdure.observe.measures.replica import ReplicaMeasures
from perdure.observe.measures.requests import RequestMeasures
from perdure.observe.measures.streams import StreamMeasures
from perdure.observe.measures.tools import ToolMeasures
from perdure.observe.measures.turns import TurnMeasures
from perdure.observe.measures.workspaces import WorkspaceMeasures
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
        self.mcp = McpMeasures(self.metrics)
        self.replica = ReplicaMeasures(self.metrics)
        self.streams = StreamMeasures(self.metrics)
        self.database = DatabaseMeasures(self.metrics)
        self.requests = RequestMeasures(self.metrics)
        self.workspaces = WorkspaceMeasures(self.metrics)
