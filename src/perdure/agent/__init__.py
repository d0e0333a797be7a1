"""One turn, as questions with answers."""
