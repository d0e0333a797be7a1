"""Recipes for workspaces: what a template is, how it is read, and how a workspace is made from it."""
