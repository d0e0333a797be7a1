"""The names that tools which people bring along must not have."""

from perdure.tools.advisor import advisor
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.computer.computer import NAME as COMPUTER
from perdure.tools.mcp.search import FIND_TOOLS

RESERVED_NAMES = frozenset({*(tool.name for tool in BUILTIN_TOOLS), advisor.name, COMPUTER, FIND_TOOLS, "web_search"})
"""What no tool of a client may be called."""
