"""Anthropic Messages, as strict as the vendor."""
