"""Which efforts OpenAI's models take: each refuses some of the scale."""

from perdure.sim.document import Node
from perdure.sim.openai.errors import listed

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
