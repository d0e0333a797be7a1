"""Images, files and tool names: the rules that both OpenAI formats share."""

import re

from perdure.sim.document import Json, Node, read
from perdure.sim.media import content, media_type
from perdure.sim.openai.errors import listed, where

_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_PATTERN = "^[a-zA-Z0-9_-]+$"


def check_name(node: Node, limit: int = 64) -> str:
    """The name of a tool."""
    name, place = node.text(), where(node.path)
    if not name:
        raise node.refuse(
            f"Invalid '{place}': empty string. Expected a string with minimum length 1, "
            "but got an empty string instead.",
            "empty_string",
        )
    if not _NAME.fullmatch(name):
        raise node.refuse(
            f"Invalid '{place}': string does not match pattern. "
            f"Expected a string that matches the pattern '{_PATTERN}'.",
            "invalid_value",
        )
    check_length(node, limit)
    return name


def check_length(node: Node, limit: int) -> None:
    """Some strings may not be long."""
    size = len(node.text())
    if size > limit:
        raise node.refuse(
            f"Invalid '{where(node.path)}': string too long. Expected a string with maximum length {limit}, "
            f"but got a string with length {size} instead.",
            "string_above_max_length",
        )


def check_image_url(node: Node) -> None:
    """A web address, or a data address whose bytes are an image."""
    url = node.text()
    if url.startswith(("http://", "https://")):
        return
    if not url.startswith("data:"):
        raise node.refuse(
            f"Invalid '{where(node.path)}'. Expected a valid URL, but got a value with an invalid format.",
            "invalid_value",
        )
    head, _, data = url.partition(",")
    if not head.startswith("data:image/"):
        raise node.refuse(
            f"Invalid MIME type. Only image types are supported: {head[5:].split(';')[0]}", "invalid_image_format"
        )
    raw = content(data)
    if raw is None:
        raise node.refuse("Invalid base64 image_url.", "invalid_base64")
    if not (media_type(raw) or "").startswith("image/"):
        message = "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
        raise node.refuse(message + "['png', 'jpeg', 'gif', 'webp'].", "invalid_image_format")


def check_file(node: Node) -> None:
    """A file by its id, or as a data address with a name."""
    if node.has("file_id"):
        node["file_id"].text()
        return
    data = node["file_data"].text()
    node["filename"].text()
    head, comma, encoded = data.partition(",")
    if not comma or not head.startswith("data:"):
        message = "Expected a base64-encoded data URL with an application/pdf MIME type"
        raise node.refuse(f"Invalid '{where(node.path)}.file_data'. {message}", "invalid_value")
    if content(encoded) is None:
        raise node.refuse(
            f"Invalid '{where(node.path)}.file_data'. The base64 data could not be decoded.", "invalid_base64"
        )


def check_sampling(body: Node, ranges: dict[str, tuple[float, float]]) -> None:
    """Numbers within their limits."""
    for name, (low, high) in ranges.items():
        node = body.get(name)
        if node is None:
            continue
        value = node.number()
        if value < low:
            _out(node, "below_min_value", f"greater than or equal to {low:g}", value)
        if value > high:
            _out(node, "above_max_value", f"less than or equal to {high:g}", value)


def check_parameters(schema: Node | None, name: str) -> dict[str, Json]:
    """The schema of a tool's arguments."""
    if schema is None:
        return {}
    if schema.fields() and schema.fields().get("type") != "object":
        kind = schema.fields().get("type")
        raise schema.refuse(
            f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: \"{kind}\"'.",
            "invalid_function_parameters",
        )
    read(schema.get("properties"), Node.fields)
    return schema.fields()


def _out(node: Node, code: str, bound: str, value: float) -> None:
    kind = "integer" if isinstance(value, int) else "decimal"
    raise node.refuse(
        f"Invalid '{where(node.path)}': {kind} {code.replace('_', ' ')}. "
        f"Expected a value {bound}, but got {value} instead.",
        f"{kind}_{code}",
    )


SCALE = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_TAKEN = {
    "gpt-6.1": ("low", "medium", "high", "xhigh", "max"),
    "gpt-6-astra": ("low", "medium", "high", "xhigh", "max"),
    "gpt-6": ("none", "low", "medium", "high", "xhigh", "max"),
    "gpt-5.1": ("none", "low", "medium", "high"),
    "gpt-5.": ("none", "low", "medium", "high", "xhigh"),
    "gpt-5": ("minimal", "low", "medium", "high"),
    "o1": ("low", "medium", "high"),
    "o3": ("low", "medium", "high"),
    "o4": ("low", "medium", "high"),
}
"""By how a model's name begins; the first that fits counts."""


def check_effort(effort: Node, model: str) -> None:
    """An effort of the scale, and one that the model takes."""
    value = effort.among(*SCALE)
    taken = next((efforts for beginning, efforts in _TAKEN.items() if model.startswith(beginning)), SCALE)
    if value not in taken:
        message = f"Unsupported value: '{value}' is not supported with the '{model}' model."
        raise effort.refuse(f"{message} Supported values are: {listed(taken)}.", "unsupported_value")
