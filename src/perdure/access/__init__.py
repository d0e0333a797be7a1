"""Who may do what: the one choke point between people and rows."""
