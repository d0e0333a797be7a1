"""What OpenRouter adds for Google's models: sealed reasoning that has to come back with the calls it led to."""

from perdure.sim.document import Json, Node
from perdure.sim.openai.errors import invalid
from perdure.sim.signatures import seal, unseal

GEMINI = "google/gemini"
DETAILS = "reasoning_details"
SEALED = "reasoning.encrypted"
SKIPPED = "skip_thought_signature_validator"
"""What Google documents for a call that another model made."""

_SEAL = "openrouter thought"
_MISSING = (
    "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs. "
    "Upstream error: Function call is missing a thought_signature in functionCall parts."
)


def sealed_thought(model: str, call_id: str) -> dict[str, Json]:
    """The fields that the first call of an answer comes with."""
    if not model.startswith(GEMINI):
        return {}
    data = seal(_SEAL, call_id)
    detail: Json = {"type": SEALED, "data": data, "id": call_id, "format": "google-gemini-v1", "index": 0}
    return {DETAILS: [detail]}


def check_details(message: Node, model: str) -> None:
    """Every answer with calls brings a seal back that fits its first call."""
    calls = message.get("tool_calls")
    if calls is None or not model.startswith(GEMINI):
        return
    details = message.get(DETAILS)
    first = next(calls.items())["id"].text()
    found = [one for one in details.items() if one["type"].value == SEALED] if details is not None else []
    if not any(_fits(one["data"].text(), first) and one["id"].value == first for one in found):
        raise invalid(_MISSING)


def _fits(data: str, call_id: str) -> bool:
    return data == SKIPPED or unseal(_SEAL, data) == call_id
