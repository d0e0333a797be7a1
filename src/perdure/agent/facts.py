"""What deciding needs to know besides the row and the history, and which attempts stand against a chat."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.agent.compaction.size import compactable, prompt_tokens, worth_compacting
from perdure.agent.decision import Facts, Policy
from perdure.agent.history import History
from perdure.agent.journaling import known
from perdure.agent.prepare import Prepared
from perdure.core.action import Approvers, Breach
from perdure.core.chat import Chat
from perdure.core.errors import Fenced, Unavailable
from perdure.core.timing import ATTEMPT_LIMIT
from perdure.store.journal import Entry


@dataclass(frozen=True, slots=True)
class NextPrompt:
    """The prompt of the next model call: how long it is, and what the call may cost."""

    tokens: int
    worst_case: int


def next_prompt(history: History, prepared: Prepared) -> NextPrompt:
    tokens = prompt_tokens(history, prepared.frame)
    return NextPrompt(tokens, prepared.worst_case(tokens))


def facts_of(
    chat: Chat,
    history: History,
    prepared: Prepared,
    *,
    prompt: NextPrompt,
    entries: Sequence[Entry] = (),
    overflowed: bool = False,
    over_budget: Breach | None = None,
) -> Facts:
    """The facts about a running chat."""
    return Facts(
        policies=_policies(history, prepared),
        journal=known(entries, chat.open_calls),
        over_threshold=_over_threshold(history, prepared, prompt.tokens),
        overflowed=overflowed,
        over_budget=over_budget,
        worst_case=prompt.worst_case if chat.budget_limit is not None else 0,
        compactable=compactable(history) or (chat.continuing and history.boundary is not None),
        step_limit=prepared.rules.step_limit,
        approvers=approvers_of(history, prepared),
    )


def _policies(history: History, prepared: Prepared) -> dict[str, Policy]:
    """What the organisation denies cannot be allowed by anybody; otherwise the chat's own word is the last."""
    own = {tool: Policy(policy) for tool, policy in history.card.settings.approvals.items()}
    asked = dict.fromkeys(prepared.toolset.asking, Policy.ASK)
    denied = dict.fromkeys(prepared.rules.forbidden, Policy.DENY)
    return {**asked, **prepared.rules.policies, **own, **denied}


def approvers_of(history: History, prepared: Prepared) -> Approvers:
    """What the organisation settles, no chat changes."""
    house = prepared.rules.approvers
    return history.card.settings.approvers if house is Approvers.ANYBODY else house


def _over_threshold(history: History, prepared: Prepared, tokens: int) -> bool:
    limit = prepared.window * prepared.model.threshold
    return prepared.model.threshold < 1 and tokens >= limit and worth_compacting(history, prepared.frame, limit)


def counts(ended: BaseException, *, moved: bool) -> bool:
    """Whether an attempt that came to nothing may be the fault of the model, of a tool or of the chat itself.

    A database that was away is nobody's, and neither is a row that somebody moved. A fence that does not hold although
    the row stayed as it was is ours, and must come to an end.
    """
    match ended:
        case Unavailable():
            return False
        case Fenced():
            return not moved
        case _:
            return True


def exhausted(made: int, *, excused: int) -> bool:
    """Whether there may be no further attempt at the same history."""
    return made - excused >= ATTEMPT_LIMIT
