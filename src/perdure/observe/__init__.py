"""How the system is watched: logs and metrics."""
