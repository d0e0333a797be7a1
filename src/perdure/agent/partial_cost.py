"""What an answer costs that was cut short: no provider says it any more, so it is estimated from what was seen."""

from collections.abc import Sequence

from perdure.agent.compaction.size import NO_FRAME, Frame, prompt_tokens
from perdure.agent.history import History
from perdure.agent.models import ResolvedModel
from perdure.core.message import NewMessage, Role
from perdure.core.parts import AnyPart
from perdure.core.usage import Usage
from perdure.providers.estimate import estimate
from perdure.providers.pricing import cost


def partial_cost(
    model: ResolvedModel, history: History, parts: Sequence[AnyPart], frame: Frame = NO_FRAME
) -> int | None:
    """The prompt and the parts that came, at list price; None where there is no price. Nothing seen costs nothing."""
    price = model.route.model.price
    if not parts or price is None:
        return 0 if not parts else None
    said = estimate([NewMessage(role=Role.ASSISTANT, parts=tuple(parts))])
    return cost(Usage(input=prompt_tokens(history, frame), output=said), price)
