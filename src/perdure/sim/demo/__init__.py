"""The demo agent: what answers when no script does."""
