"""The names of foreign tools: the server's and the tool's, fit for every vendor, one name to one tool."""

import hashlib
import re

LONGEST = 64
SEPARATOR = "__"
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_MARK = 8


def full_name(slug: str, tool: str) -> str:
    """What models call it. Where characters had to go, a hash of the whole name keeps it apart from others."""
    wanted = f"{slug}{SEPARATOR}{tool}"
    legal = _ILLEGAL.sub("_", wanted)
    if legal == wanted and len(legal) <= LONGEST:
        return legal
    mark = hashlib.sha256(wanted.encode()).hexdigest()[:_MARK]
    return f"{legal[: LONGEST - _MARK - 1]}_{mark}"


def server_of(name: str) -> str | None:
    """The server's half of a name that looks like one of ours."""
    slug, separator, _ = name.partition(SEPARATOR)
    return slug if separator else None
