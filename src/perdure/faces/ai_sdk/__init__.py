"""The AI SDK's UI message stream: what `useChat` speaks."""
