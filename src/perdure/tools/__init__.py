"""What a model may do: one file, one tool."""
