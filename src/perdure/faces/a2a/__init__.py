"""A2A, the Agent2Agent protocol: other agents give tasks to ours."""
