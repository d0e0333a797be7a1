-- By what its executor hands a run back: the name of a task at an MCP server.
ALTER TABLE journal ADD COLUMN handle text;
