"""Workspaces as pods of a Kubernetes cluster: a claim for what is kept, and a pod while it runs."""
