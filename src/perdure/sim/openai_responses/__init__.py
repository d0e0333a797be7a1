"""OpenAI Responses, with stored chains and background mode."""
