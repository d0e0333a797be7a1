"""Perdure: a durable server for AI-agent chats."""
