"""Times that come again: rules in words of the wall clock, and the moments that they mean in a time zone."""
