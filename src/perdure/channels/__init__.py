"""Channels: where people talk with agents besides the page. Clients of our own API; the truth stays in our rows."""
