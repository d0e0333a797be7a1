"""The order of turns that every API accepts: a user first, no two of a kind in a row, nothing empty."""

from collections.abc import Iterable

from perdure.core.parts import Reasoning, Text
from perdure.providers.projection.turns import AssistantTurn, ToolTurn, Turn, UserTurn

OPENING = "(The conversation goes on from here.)"
CONTINUE = "Continue."


def shaped(turns: Iterable[Turn], *, begins: bool) -> list[Turn]:
    """Turns in order. A transcript that begins here begins with the user."""
    ordered = [turn for turn in map(_without_loose_end, turns) if not _empty(turn)]
    if begins and (not ordered or not isinstance(ordered[0], UserTurn)):
        ordered.insert(0, UserTurn((Text(OPENING),)))
    return _merged(ordered)


def ended(turns: list[Turn], *, may_end_with_assistant: bool) -> list[Turn]:
    """The turns, with a word of the user's at the end where the model must not have the last one."""
    if turns and isinstance(turns[-1], AssistantTurn) and not may_end_with_assistant:
        turns.append(UserTurn((Text(CONTINUE),)))
    return turns


def _merged(turns: list[Turn]) -> list[Turn]:
    """Turns of a kind joined. Answers stay with the calls they answer."""
    whole: list[Turn] = []
    for turn in turns:
        match whole[-1] if whole else None, turn:
            case UserTurn(parts=before), UserTurn(parts=more):
                whole[-1] = UserTurn((*before, *more))
            case AssistantTurn(parts=before), AssistantTurn(parts=more):
                whole[-1] = AssistantTurn((*before, *more))
            case _:
                whole.append(turn)
    return whole


def _without_loose_end(turn: Turn) -> Turn:
    """An answer may not end in reasoning: it was cut off before what it was for."""
    if not isinstance(turn, AssistantTurn):
        return turn
    parts = turn.parts
    while parts and isinstance(parts[-1], Reasoning):
        parts = parts[:-1]
    return AssistantTurn(parts)


def _empty(turn: Turn) -> bool:
    match turn:
        case UserTurn(parts=content) | AssistantTurn(parts=content) | ToolTurn(answers=content):
            return not content
