"""The Model Context Protocol: chats as tools of other agents, and every turn as a task."""
