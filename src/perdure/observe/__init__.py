"""How the system is watched: logs, metrics, traces."""
