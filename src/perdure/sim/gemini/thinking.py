"""How much a model of Google's may be told to think: by a level, by a budget, and not every one of them at all."""

import re

from perdure.sim.document import Node, names
from perdure.sim.gemini.errors import GeminiErrors, invalid

_LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH")
_BUDGETS = {
    "gemini-2.5-pro": (128, 32_768),
    "gemini-2.5-flash-lite": (512, 24_576),
    "gemini-2.5-flash": (1, 24_576),
}
"""By how a model's name begins; the first that fits counts."""
_DYNAMIC, _OFF = -1, 0
_FLASH = re.compile(r"gemini-(\d+)\.(\d+)-flash(?!-lite)")


def check_thinking(thinking: Node, model: str) -> None:
    """A level or a budget, whichever the model takes."""
    thinking.only(names("includeThoughts thinkingBudget thinkingLevel"))
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if level is not None and budget is not None:
        raise invalid("You can only set only one of thinking budget and thinking level.")
    if level is not None:
        _check_level(level, model)
    if budget is not None:
        _check_budget(budget.integer(), model)


def _check_level(node: Node, model: str) -> None:
    level = node.text().upper()
    if level not in _LEVELS:
        raise GeminiErrors().not_among(node.path, node.value, ())
    if model.startswith("gemini-2"):
        raise invalid("Thinking level is not supported for this model.")
    if level == "MINIMAL" and _always_thinks(model):
        message = f"Thinking level {level} is not supported for this model."
        raise invalid(f"{message} Please retry with other thinking level.")


def _always_thinks(model: str) -> bool:
    flash = _FLASH.match(model)
    return re.match(r"gemini-3(\.\d+)?-pro", model) is not None or (
        flash is not None and (int(flash[1]), int(flash[2])) >= (3, 7)
    )


def _check_budget(budget: int, model: str) -> None:
    low, high = next((bounds for name, bounds in _BUDGETS.items() if model.startswith(name)), (0, 1_000_000))
    if budget == _OFF and model.startswith("gemini-2.5-pro"):
        raise invalid("Budget 0 is invalid. This model only works in thinking mode.")
    if budget not in (_DYNAMIC, _OFF) and not low <= budget <= high:
        raise invalid(f"The thinking budget {budget} is invalid. Please choose a value between {low} and {high}.")
