"""What a server lists, checked: the names of its tools, their schemas, and why a tool is left out."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from perdure.config.mcp import McpServer
from perdure.tools.arguments import UnusableSchema, usable
from perdure.tools.mcp.messages import ListedTool

LONGEST_NAME = 64
SEPARATOR = "__"
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_HASH_LENGTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTool:
    """A tool of a server under the name that models call it by, and why chats do not get it, if they do not."""

    full_name: str
    listed: ListedTool
    schema: dict[str, Any]
    left_out: str = ""


def checked(server: McpServer, listed: Iterable[ListedTool]) -> list[CheckedTool]:
    """All that the server lists, in its order."""
    tools: list[CheckedTool] = []
    for tool in listed:
        name, schema = full_name(server.slug, tool.name), dict[str, Any]()
        reason = _left_out(server, tool, twice=any(known.full_name == name for known in tools if not known.left_out))
        try:
            schema = {} if reason else usable(tool.schema)
        except UnusableSchema as error:
            reason = f"its schema: {error}"
        tools.append(CheckedTool(full_name=name, listed=tool, schema=schema, left_out=reason))
    return tools


def _left_out(server: McpServer, listed: ListedTool, *, twice: bool) -> str:
    if not server.allows(listed.name):
        return "the settings leave it out"
    return "another tool of the server has the same name" if twice else ""


def full_name(slug: str, tool: str) -> str:
    """What models call it. Where characters had to go, a hash of the whole name keeps it apart from others."""
    wanted = f"{slug}{SEPARATOR}{tool}"
    legal = _ILLEGAL.sub("_", wanted)
    if legal == wanted and len(legal) <= LONGEST_NAME:
        return legal
    digest = hashlib.sha256(wanted.encode()).hexdigest()[:_HASH_LENGTH]
    return f"{legal[: LONGEST_NAME - _HASH_LENGTH - 1]}_{digest}"


def server_of(name: str) -> str | None:
    """The server's half of a name that looks like one of ours."""
    slug, separator, _ = name.partition(SEPARATOR)
    return slug if separator else None
