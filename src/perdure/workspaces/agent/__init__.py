"""The program inside a workspace: keyed processes, files, terminals, git, context. Standard library only."""
