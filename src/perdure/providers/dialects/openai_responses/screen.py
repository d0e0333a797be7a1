"""Using a screen in the words of the Responses API: a call of its own kind, answered with a picture."""

from collections.abc import Mapping, Sequence

import msgspec

from perdure.core.message import ToolCall
from perdure.providers.dialects.dialect import Json
from perdure.providers.dialects.openai_responses.events import Item
from perdure.providers.dialects.wire import data_url
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn

COMPUTER = "computer"
SCREEN = "screen"


def screen_call(item: Item) -> tuple[str, Json]:
    """The arguments of a call, and what has to come back with it. What is to be confirmed is shown to people too."""
    actions = item.actions if item.actions is not None else [item.action] if item.action else []
    checks = item.pending_safety_checks or []
    kept: Json = {**({"id": item.id} if item.id else {}), "actions": actions, "pending_safety_checks": checks}
    asked: Json = {"actions": actions, **({"pending_safety_checks": checks} if checks else {})}
    return msgspec.json.encode(asked).decode(), {SCREEN: kept}


def seen_screens(turns: Sequence[Turn], target: Target) -> Mapping[str, Json]:
    """Calls that can be told again as what they were: by this model, and answered with a picture."""
    pictured = {
        answer.call_id
        for turn in turns
        if isinstance(turn, ToolTurn)
        for answer in turn.answers
        if any(attachment.picture for attachment in answer.attachments)
    }
    calls = [part for turn in turns if isinstance(turn, AssistantTurn) for part in turn.parts]
    return {
        part.call_id: kept
        for part in calls
        if isinstance(part, ToolCall)
        and part.call_id in pictured
        and (kept := target.data(part.provider_metadata).get(SCREEN)) is not None
    }


def screen_used(call_id: str, kept: Json) -> Json:
    return {"type": "computer_call", "call_id": call_id, "status": "completed", **kept}


def screen_shown(answer: Answer, kept: Json) -> Json:
    """The picture. What was to be confirmed is: the call ran only after somebody had agreed."""
    picture = next(attachment for attachment in answer.attachments if attachment.picture)
    output = {"type": "computer_screenshot", "image_url": data_url(picture)}
    shown: Json = {"type": "computer_call_output", "call_id": answer.call_id, "output": output}
    checks = kept["pending_safety_checks"]
    return {**shown, "acknowledged_safety_checks": checks} if checks else shown
