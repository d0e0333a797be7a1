"""The Agent Client Protocol: what editors speak with agents."""
