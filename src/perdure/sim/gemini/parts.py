"""Parts of a content: which fields they take and what must be in them."""

from perdure.sim.document import Node, names, read
from perdure.sim.gemini.errors import invalid, payload, where
from perdure.sim.media import content, media_type
from perdure.sim.signatures import unseal

THOUGHT = "gemini thought"
SKIPPED = ("context_engineering_is_the_way_to_go", "skip_thought_signature_validator")
"""Signatures that Google documents for calls made by another model."""

_DATA = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
_FIELDS = frozenset(_DATA) | names("thought thoughtSignature videoMetadata mediaResolution partMetadata")
_MIME = ("image/", "audio/", "video/", "text/", "application/pdf", "application/json")


def check_part(part: Node) -> None:
    """Exactly one kind of data, well formed."""
    part.only(_FIELDS)
    present = [name for name in _DATA if part.has(name)]
    if len(present) != 1:
        raise part.at("data").refuse("required oneof field 'data' must have one initialized field")
    read(part.get("text"), Node.text)
    read(part.get("thought"), Node.flag)
    read(part.get("inlineData"), _check_data)
    read(part.get("functionCall"), _check_call)
    read(part.get("functionResponse"), _check_response)
    read(part.get("thoughtSignature"), _check_signature)


def standard(encoded: str) -> str:
    """Base64 in its standard alphabet; Google takes the other one as well."""
    return encoded.replace("-", "+").replace("_", "/")


def _check_data(node: Node) -> None:
    node.only(names("mimeType data displayName"))
    claimed = node["mimeType"].text()
    data = content(standard(node["data"].text()))
    if data is None:
        place = where((*node.path, "data"))
        raise payload(f"Invalid value at '{place}' (TYPE_BYTES), Base64 decoding failed", (*node.path, "data"))
    if not claimed.startswith(_MIME):
        raise invalid(f"Unsupported MIME type: {claimed}")
    if claimed.startswith("image/") and not (media_type(data) or "").startswith("image/"):
        raise invalid("Unable to process input image. Please retry or report.")
    if claimed == "application/pdf" and media_type(data) != claimed:
        raise invalid("The document has no pages.")


def _check_call(node: Node) -> None:
    node.only(names("id name args partialArgs willContinue"))
    _check_name(node)
    read(node.get("args"), Node.fields)


def _check_response(node: Node) -> None:
    node.only(names("id name response parts willContinue scheduling"))
    _check_name(node)
    node["response"].fields()


def _check_name(node: Node) -> None:
    name = node.get("name")
    if name is None or not name.text():
        raise node.at("name").refuse("Name cannot be empty.")


def _check_signature(node: Node) -> None:
    signature = node.text()
    if signature not in SKIPPED and unseal(THOUGHT, standard(signature)) is None and not _skipped(signature):
        raise invalid("Corrupted thought signature.")


def _skipped(signature: str) -> bool:
    raw = content(standard(signature))
    return raw is not None and raw.decode("utf-8", "replace") in SKIPPED
