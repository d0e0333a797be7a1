"""Protocols that other programs speak, each a view of the same chats."""
