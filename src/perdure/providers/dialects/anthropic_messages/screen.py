"""Using a screen in the words of the Messages API: one tool, or for newer models a set with a member to each action."""

from typing import Any

import msgspec

from perdure.core.message import ToolCall
from perdure.core.screen import Screen
from perdure.providers.dialects.dialect import Json, Quirks
from perdure.providers.model import Model

SCREEN = "computer"
SCREEN_BETA = "computer-use-2025-11-24"
MEMBERS = frozenset({
    "cursor_position", "double_click", "hold_key", "key", "left_click", "left_click_drag", "left_mouse_down",
    "left_mouse_up", "middle_click", "mouse_move", "right_click", "screenshot", "scroll", "triple_click", "type",
    "wait",
})  # fmt: skip


def takes_set(model: Model, quirks: Quirks) -> bool:
    """Amazon serves the same models with the one tool."""
    return model.screen_toolset and not quirks.betas_in_body


def screen_offered(screen: Screen, *, as_set: bool) -> Json:
    if as_set:
        return {"type": "computer_toolset_20260801", "configs": {"zoom": {"enabled": False}}}
    size = {"display_width_px": screen.width, "display_height_px": screen.height}
    return {"type": "computer_20251124", "name": SCREEN, **size}


def member_call(call: ToolCall) -> Json | None:
    """A call of the one tool as a call of the set's member; None where it names none."""
    if call.tool != SCREEN or call.provider_executed:
        return None
    given: Any = msgspec.json.decode(call.args)
    action = given.pop("action", None)
    if not isinstance(action, str) or action not in MEMBERS:
        return None
    return {"type": "tool_use", "id": call.call_id, "name": action, "toolset_name": SCREEN, "input": given}


def as_one_tool(member: str, written: str) -> str:
    """The arguments of a member's call as those of the one tool."""
    try:
        given = msgspec.json.decode(written or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return written
    return msgspec.json.encode({"action": member, **given}).decode()
