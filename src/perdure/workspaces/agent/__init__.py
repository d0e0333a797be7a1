"""The program inside a workspace: processes with keys, files, search, terminals, git and context. Standard library only."""
