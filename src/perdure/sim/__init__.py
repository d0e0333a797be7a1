"""A simulator of model providers: real HTTP, the vendors' wire formats and the vendors' strictness."""
