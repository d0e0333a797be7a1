"""The only door to a chat's execution state."""
