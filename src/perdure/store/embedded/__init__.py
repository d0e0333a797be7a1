"""A Postgres of our own: started on first use, shared on the machine, stopped when the last user goes."""
