"""The ways in: EPC, JSON-RPC, MCP, HTTP, command line."""
