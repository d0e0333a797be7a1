"""Content blocks of a message: which fields each kind takes and what must be in them."""

import re
from collections.abc import Callable

from perdure.sim.document import Json, Node, Problem, read
from perdure.sim.media import content, media_type
from perdure.sim.signatures import signed, unseal

THINKING = "anthropic"
REDACTED = "anthropic redact"
SEARCH = "anthropic search"

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_MARKED = frozenset({"type", "cache_control"})


def check_cache_control(node: Node) -> None:
    """A cache breakpoint."""
    node.only(frozenset({"type", "ttl"}))["type"].among("ephemeral")
    read(node.get("ttl"), lambda ttl: ttl.among("5m", "1h"))


def check_text(block: Node) -> None:
    """A text must say something, and an empty one cannot be a breakpoint."""
    block.only(_MARKED, frozenset({"text", "citations"}))
    text = block["text"].text()
    if not text and block.has("cache_control"):
        raise block.refuse("cache_control cannot be set for empty text blocks")
    if not text:
        raise Node(None, block.errors).refuse("messages: text content blocks must be non-empty")
    if not text.strip():
        raise Node(None, block.errors).refuse("messages: text content blocks must contain non-whitespace text")


def check_image(block: Node) -> None:
    """An image whose bytes are what its media type says."""
    source = block.only(_MARKED, frozenset({"source", "transformations"}))["source"]
    match source["type"].among("base64", "url", "file"):
        case "base64":
            _check_base64(source.only(frozenset({"type", "media_type", "data"})), _IMAGES, "image")
        case "url":
            source.only(frozenset({"type", "url"}))["url"].text()
        case _:
            source.only(frozenset({"type", "file_id"}))["file_id"].text()


def check_document(block: Node) -> None:
    """A PDF, a plain text, or a list of blocks."""
    source = block.only(_MARKED, frozenset({"source", "title", "context", "citations"}))["source"]
    match source["type"].among("base64", "text", "content", "url", "file"):
        case "base64":
            _check_base64(source, ("application/pdf",), "PDF")
        case "text":
            source["media_type"].among("text/plain")
            source["data"].text()
        case kind:
            source["content" if kind == "content" else f"{kind}_id" if kind == "file" else kind]


def check_thinking(block: Node) -> None:
    """Thinking comes back exactly as it was handed out."""
    block.only(frozenset({"type", "thinking", "signature"}))
    text, signature = block["thinking"].text(), block["signature"].text()
    if not signed(THINKING, text, signature):
        raise block.up().refuse("Invalid `signature` in `thinking` block")


def check_redacted_thinking(block: Node) -> None:
    """Redacted thinking is opaque, and still ours."""
    block.only(frozenset({"type", "data"}))
    if unseal(REDACTED, block["data"].text()) is None:
        raise block.up().refuse("Invalid `data` in `redacted_thinking` block")


def check_tool_use(block: Node) -> None:
    """A call of the caller's tool."""
    block.only(_MARKED, frozenset({"id", "name", "input", "caller", "toolset_name"}))
    _check_id(block["id"])
    _check_name(block["name"])
    block["input"].fields()


def check_server_tool_use(block: Node) -> None:
    """A call that the vendor ran itself."""
    block.only(_MARKED, frozenset({"id", "name", "input", "caller"}))
    if not re.fullmatch(r"srvtoolu_[a-zA-Z0-9_]+", block["id"].text()):
        raise block["id"].refuse("String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'")
    block["name"].among("web_search", "web_fetch", "code_execution", "bash_code_execution")
    block["input"].fields()


def check_search_result(block: Node) -> None:
    """What a search found, with its encrypted content, or its error."""
    block.only(_MARKED, frozenset({"tool_use_id", "content", "caller"}))
    block["tool_use_id"].text()
    found = block["content"]
    if isinstance(found.value, dict):
        found["type"].among("web_search_tool_result_error")
        return
    for result in found.items():
        result["type"].among("web_search_result")
        result["url"].text()
        result["title"].text()
        if unseal(SEARCH, result["encrypted_content"].text()) is None:
            raise block.up().refuse("Invalid `encrypted_content` in `search_result` block")


def check_tool_result(block: Node) -> None:
    """The answer to a call: text, images, documents; nothing else."""
    block.only(_MARKED, frozenset({"tool_use_id", "content", "is_error", "toolset_name"}))
    _check_id(block["tool_use_id"])
    read(block.get("is_error"), Node.flag)
    inside = block.get("content")
    if inside is None or isinstance(inside.value, str):
        return
    for part in inside.items():
        kind = part["type"].among("text", "image", "search_result", "document", "tool_reference")
        _CHECKS.get(kind, Node.fields)(part.at(kind))
    if block.has("is_error") and block["is_error"].flag():
        _check_only_text(block, inside)


def plain_text(block: Json) -> bool:
    """A text with nothing to find fault with: what most blocks are."""
    match block:
        case {"type": "text", "text": str(text)} if len(block) == 2:
            return bool(text.strip())
        case _:
            return False


def check_block(block: Node, role: str) -> None:
    """One block of a message with this role."""
    kind = block["type"].text()
    if kind not in _ROLES[role]:
        raise _misplaced(block, kind, role)
    if block.has("cache_control"):
        check_cache_control(block.at(kind)["cache_control"])
    _CHECKS.get(kind, Node.fields)(block.at(kind))


def _misplaced(block: Node, kind: str, role: str) -> Problem:
    home = next((other for other, kinds in _ROLES.items() if kind in kinds), None)
    if home is not None and role != "system":
        return block.up().up().refuse(f"`{kind}` blocks can only be in `{home}` messages")
    expected = ", ".join(f"'{name}'" for name in sorted({*_ROLES["user"], *_ROLES["assistant"]}))
    return block.refuse(f"Input tag '{kind}' found using 'type' does not match any of the expected tags: {expected}")


def _check_only_text(block: Node, inside: Node) -> None:
    if any(part["type"].value != "text" for part in inside.items()):
        raise block.up().refuse("when `is_error` is true, all content must be type text")


def _check_base64(source: Node, types: tuple[str, ...], noun: str) -> None:
    source = source.at("base64")
    claimed = source["media_type"].among(*types)
    data = content(source["data"].text())
    if data is None:
        raise source["data"].refuse("invalid base64 data")
    if not data:
        raise source.refuse(f"{noun} cannot be empty")
    actual = media_type(data)
    if actual is None:
        raise Node(None, source.errors).refuse(
            "Could not process image" if noun == "image" else "The PDF specified was not valid."
        )
    if actual != claimed:
        raise source.refuse(
            f"The {noun} was specified using the {claimed} media type, but the {noun} appears to be a {actual} {noun}"
        )


def _check_id(node: Node) -> None:
    if not _ID.fullmatch(node.text()):
        raise node.refuse("String should match pattern '^[a-zA-Z0-9_-]+$'")


def _check_name(node: Node) -> None:
    name = node.text()
    if not name:
        raise node.refuse("String should have at least 1 character")
    if len(name) > 200:
        raise node.refuse("String should have at most 200 characters")


_CHECKS: dict[str, Callable[[Node], object]] = {
    "text": check_text,
    "image": check_image,
    "document": check_document,
    "thinking": check_thinking,
    "redacted_thinking": check_redacted_thinking,
    "tool_use": check_tool_use,
    "tool_result": check_tool_result,
    "server_tool_use": check_server_tool_use,
    "web_search_tool_result": check_search_result,
}

_ROLES = {
    "user": ("text", "image", "document", "search_result", "tool_result", "container_upload"),
    "assistant": (
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
    ),
    "system": ("text",),
}
