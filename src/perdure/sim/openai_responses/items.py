"""Input items: which fields each kind takes and what must be in them."""

from collections.abc import Callable

from perdure.sim.document import Node, Problem, read
from perdure.sim.openai.content import check_file, check_image_url, check_length, check_name
from perdure.sim.openai.errors import invalid, where
from perdure.sim.signatures import unseal

ENCRYPTED = "openai reasoning"
CALL_ID_LIMIT = 64

_MODEL_ITEMS = (
    "function_call",
    "reasoning",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "custom_tool_call",
    "image_generation_call",
    "computer_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
)
_ACTIONS = ("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait")
_OTHER_ITEMS = (
    "function_call_output",
    "custom_tool_call_output",
    "computer_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
    "mcp_approval_response",
    "item_reference",
    "compaction",
)


def made_by_model(item: Node) -> bool:
    """Whether an item came out of a response."""
    fields = item.fields()
    return fields.get("type") in _MODEL_ITEMS or (_kind(item) == "message" and fields.get("role") == "assistant")


def check_item(item: Node, *, stored: bool) -> None:
    """One input item."""
    kind = _kind(item)
    if kind not in ("message", *_MODEL_ITEMS, *_OTHER_ITEMS):
        item["type"].among("message", *_MODEL_ITEMS, *_OTHER_ITEMS)
    if kind == "reasoning":
        _check_reasoning(item, stored=stored)
    else:
        _CHECKS.get(kind, Node.fields)(item)


def _kind(item: Node) -> str:
    return str(item.fields().get("type") or "message")


def _check_message(item: Node) -> None:
    role = item["role"].among("user", "assistant", "system", "developer")
    if role == "assistant":
        _check_id(item, "msg")
    content = item["content"]
    if isinstance(content.value, str):
        return
    kinds = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image", "input_file")
    for part in content.items():
        _PARTS[part["type"].among(*kinds)](part)


def _check_call(item: Node) -> None:
    _check_id(item, "fc")
    check_length(item["call_id"], CALL_ID_LIMIT)
    check_name(item["name"], 128)
    item["arguments"].text()


def _check_output(item: Node) -> None:
    check_length(item["call_id"], CALL_ID_LIMIT)
    output = item["output"]
    if isinstance(output.value, str):
        return
    for part in output.items():
        _PARTS[part["type"].among("input_text", "input_image", "input_file")](part)


def _check_reasoning(item: Node, *, stored: bool) -> None:
    _check_id(item, "rs")
    item["id"].text()
    for part in item["summary"].items():
        part["type"].among("summary_text")
        part["text"].text()
    encrypted = item.get("encrypted_content")
    if encrypted is None:
        if not stored:
            raise not_found(item["id"].text())
    elif unseal(ENCRYPTED, encrypted.text()) is None:
        message = (
            f"The encrypted content for item {item['id'].text()} could not be verified. "
            "Reason: Encrypted content could not be decrypted or parsed."
        )
        raise invalid(message, code="invalid_encrypted_content")


def _check_search(item: Node) -> None:
    _check_id(item, "ws")
    item["id"].text()
    item["status"].among("in_progress", "searching", "completed", "failed", "incomplete")
    read(item.get("action"), lambda action: action["type"].among("search", "open_page", "find_in_page"))


def _check_screen_call(item: Node) -> None:
    _check_id(item, "cu")
    item["id"].text()
    check_length(item["call_id"], CALL_ID_LIMIT)
    item["status"].among("in_progress", "completed", "incomplete")
    for action in item["actions"].items():
        action["type"].among(*_ACTIONS)
    for check in item["pending_safety_checks"].items():
        check["id"].text()


def _check_screen(item: Node) -> None:
    check_length(item["call_id"], CALL_ID_LIMIT)
    output = item["output"]
    output["type"].among("computer_screenshot")
    check_image_url(output["image_url"])


def _check_id(item: Node, prefix: str) -> None:
    id_ = item.get("id")
    if id_ is not None and not id_.text().startswith(prefix):
        place = where(id_.path)
        message = f"Invalid '{place}': '{id_.text()}'. Expected an ID that begins with '{prefix}'."
        raise id_.refuse(message, "invalid_value")


def _check_image(part: Node) -> None:
    if not part.has("file_id"):
        check_image_url(part["image_url"])
    read(part.get("detail"), lambda detail: detail.among("low", "high", "auto", "original"))


def _check_attached(part: Node) -> None:
    if not part.has("file_url"):
        check_file(part)


def _check_spoken(part: Node) -> None:
    part["text"].text()
    read(part.get("annotations"), lambda node: list(node.items()))


def not_found(id: str) -> Problem:  # noqa: A002
    """An item that is meant to be known and is not."""
    message = (
        f"Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
        "Try again with `store` set to true, or remove this item from your input."
    )
    problem = invalid(message, "input")
    problem.status = 404
    return problem


_CHECKS: dict[str, Callable[[Node], object]] = {
    "message": _check_message,
    "function_call": _check_call,
    "function_call_output": _check_output,
    "web_search_call": _check_search,
    "computer_call": _check_screen_call,
    "computer_call_output": _check_screen,
    "item_reference": lambda item: item["id"].text(),
}

_PARTS: dict[str, Callable[[Node], object]] = {
    "input_text": lambda part: part["text"].text(),
    "input_image": _check_image,
    "input_file": _check_attached,
    "output_text": _check_spoken,
    "refusal": lambda part: part["refusal"].text(),
}
