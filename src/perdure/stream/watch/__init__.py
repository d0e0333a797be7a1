"""Following lists and inboxes: what changed in anything that somebody may see."""
