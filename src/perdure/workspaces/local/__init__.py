"""Workspaces on this host: a directory each, entered through bubblewrap."""
