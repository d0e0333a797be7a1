"""Postgres: the only truth."""
