"""Reasoning effort: one scale for people, clamped to what a model knows."""

from perdure.core.message import Effort
from perdure.providers.model import Model

SCALE = tuple(Effort)

BUDGETS = {
    Effort.MINIMAL: 1_024,
    Effort.LOW: 4_096,
    Effort.MEDIUM: 10_240,
    Effort.HIGH: 20_480,
    Effort.XHIGH: 32_768,
    Effort.MAX: 65_536,
}
"""Thinking tokens, for models that want a number."""


def clamped(effort: Effort, model: Model) -> Effort:
    """The nearest effort that the model knows."""
    rank = max(SCALE.index(model.min_effort), min(SCALE.index(effort), SCALE.index(model.max_effort)))
    while SCALE[rank] in model.lacks:
        rank -= 1
    return SCALE[rank]


def named(effort: Effort, model: Model) -> Effort:
    """The effort as OpenAI names it: a model that can be told not to think knows nothing between that and a little."""
    level = clamped(effort, model)
    return Effort.LOW if level is Effort.MINIMAL and model.min_effort is Effort.NONE else level


def budget(effort: Effort, max_output_tokens: int) -> int:
    """How many of the answer's tokens may be thoughts: at most half of them. 0 where that leaves too few."""
    wanted = min(BUDGETS.get(effort, 0), max_output_tokens // 2)
    return wanted if wanted >= BUDGETS[Effort.MINIMAL] else 0
