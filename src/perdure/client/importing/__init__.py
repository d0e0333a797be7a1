"""Chats of other programs, read from what they keep or export."""
