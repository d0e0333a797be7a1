"""The list of models, as each vendor shows it."""

import msgspec

from perdure.sim.document import Json

NAMES = ("demo", "demo-fast", "small-window-8k")
_MADE = 1_760_000_000
_MADE_TEXT = "2025-10-09T08:53:20Z"


def anthropic_list() -> dict[str, Json]:
    """GET /v1/models with Anthropic's headers."""
    return {
        "data": [anthropic_model(name) for name in NAMES],
        "has_more": False,
        "first_id": NAMES[0],
        "last_id": NAMES[-1],
    }


def anthropic_model(name: str) -> dict[str, Json]:
    """One of Anthropic's models."""
    return {"type": "model", "id": name, "display_name": name.title(), "created_at": _MADE_TEXT}


def openai_list() -> dict[str, Json]:
    """GET /v1/models with a bearer token."""
    return {"object": "list", "data": [openai_model(name) for name in NAMES]}


def openai_model(name: str) -> dict[str, Json]:
    """One of OpenAI's models."""
    return {"id": name, "object": "model", "created": _MADE, "owned_by": "perdure"}


def gemini_list() -> dict[str, Json]:
    """GET /v1beta/models."""
    return {"models": [gemini_model(name) for name in NAMES]}


def gemini_model(name: str) -> dict[str, Json]:
    """One of Google's models."""
    return {
        "name": f"models/{name}",
        "displayName": name.title(),
        "inputTokenLimit": 1_000_000,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def encoded(document: dict[str, Json]) -> bytes:
    """The document as bytes."""
    return msgspec.json.encode(document)
