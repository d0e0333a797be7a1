"""Models, reached: dialects, endpoints, credentials, and the one client that streams."""
