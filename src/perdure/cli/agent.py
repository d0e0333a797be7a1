"""`perdure agent`: the program inside a workspace, started by a driver. It imports the standard library only."""

from perdure.workspaces.agent.main import main

__all__ = ["main"]
