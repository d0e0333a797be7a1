"""Drives chats: a replica's lease, what it takes, and one runner for each chat it owns."""
