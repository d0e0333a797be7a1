"""OpenAI's API: chat completions, responses, conversations, models and files."""
