"""Previews: what is served in workspaces, as browsers see it."""
