"""The schema, as numbered steps that only go forward, and what applies them."""
