"""OpenAI Chat Completions, and the variations of the servers that are compatible with it."""
