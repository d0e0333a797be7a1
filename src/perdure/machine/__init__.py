"""The only way to change a chat's execution state."""
