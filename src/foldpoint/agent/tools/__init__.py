"""Tools of the agent: a shell, Python functions, MCP servers."""
