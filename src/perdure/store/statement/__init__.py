"""One change, one statement. The pieces that it may need, and how they are put together."""
