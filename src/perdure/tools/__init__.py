"""What a model may do: a module to a noun, a function to a tool."""
