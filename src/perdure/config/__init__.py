"""What an organisation has set up, remembered so that a turn costs no query for it."""
