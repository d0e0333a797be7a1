"""The kit that our own tests use, for everybody who builds on Perdure."""
