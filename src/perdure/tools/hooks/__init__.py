"""Hooks: at seven points somebody else is asked by a signed request, and may deny, rewrite or add."""
