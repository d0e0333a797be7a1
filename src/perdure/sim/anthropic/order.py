"""The order of a conversation: who speaks first, which call is answered where, what thinking must stay."""

from collections.abc import Iterator

from perdure.sim.anthropic.errors import invalid
from perdure.sim.document import Json, Node, is_object

_TOOLS = frozenset({"tool_use", "tool_result", "server_tool_use", "web_search_tool_result"})

Turn = tuple[int, str, list[dict[str, Json]]]
"""A message: its place, its role, its blocks."""


def turns(messages: Node) -> list[Turn]:
    """Messages with string contents turned into blocks."""
    found: list[Turn] = []
    for index, message in enumerate(messages.items()):
        content = message.fields()["content"]
        blocks: Json = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found.append(
            (
                index,
                str(message.fields()["role"]),
                [b for b in blocks if is_object(b)] if isinstance(blocks, list) else [],
            )
        )
    return found


def check_order(messages: list[Turn], *, thinking: bool) -> None:
    """Every rule that looks at more than one block."""
    spoken = [turn for turn in messages if turn[1] != "system"]
    if not spoken:
        raise invalid("messages: at least one message is required")
    if spoken[0][1] != "user":
        raise invalid('messages: first message must use the "user" role')
    _check_unique_calls(spoken)
    for at, turn in enumerate(spoken):
        if any(block["type"] in _TOOLS for block in turn[2]):
            after = spoken[at + 1] if at + 1 < len(spoken) else None
            _check_results(spoken[at - 1] if at else None, turn)
            _check_calls(turn, after)
            _check_server_calls(turn, last=after is None)
    _check_end(spoken[-1])
    if thinking:
        _check_thinking(spoken)


def _of(blocks: list[dict[str, Json]], kind: str) -> Iterator[tuple[int, dict[str, Json]]]:
    return ((index, block) for index, block in enumerate(blocks) if block["type"] == kind)


def _check_unique_calls(spoken: list[Turn]) -> None:
    seen: set[Json] = set()
    for place, _, blocks in spoken:
        for index, block in enumerate(blocks):
            if block["type"] not in ("tool_use", "server_tool_use"):
                continue
            if str(block["id"]) in seen:
                raise invalid(f"messages.{place}.content.{index}: `tool_use` ids must be unique")
            seen.add(str(block["id"]))


def _check_results(before: Turn | None, turn: Turn) -> None:
    place, _, blocks = turn
    called = (
        {str(block["id"]) for _, block in _of(before[2], "tool_use")}
        if before and before[1] == "assistant"
        else set[str]()
    )
    answered: set[str] = set()
    for index, block in _of(blocks, "tool_result"):
        id_ = str(block["tool_use_id"])
        if id_ not in called:
            raise invalid(
                f"messages.{place}.content.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {id_}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if id_ in answered:
            raise invalid(
                f"messages.{place}.content.{index}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {id_}"
            )
        answered.add(id_)


def _check_calls(turn: Turn, after: Turn | None) -> None:
    place, _, blocks = turn
    called = [str(block["id"]) for _, block in _of(blocks, "tool_use")]
    if not called:
        return
    answered = set(_leading_results(after[2])) if after is not None and after[1] == "user" else set[str]()
    missing = [id_ for id_ in called if id_ not in answered]
    if missing:
        raise invalid(
            f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message."
        )


def _leading_results(blocks: list[dict[str, Json]]) -> Iterator[str]:
    """Results count only before anything else the user says."""
    for block in blocks:
        if block["type"] != "tool_result":
            return
        yield str(block["tool_use_id"])


def _check_server_calls(turn: Turn, *, last: bool) -> None:
    place, _, blocks = turn
    found = {str(block["tool_use_id"]): index for index, block in _of(blocks, "web_search_tool_result")}
    called = {
        str(block["id"]): index for index, block in _of(blocks, "server_tool_use") if block["name"] == "web_search"
    }
    for id_, index in found.items():
        if called.get(id_, index) >= index:
            raise invalid(
                f"messages.{place}.content.{index}: unexpected `tool_use_id` found in `web_search_tool_result` blocks: "
                f"{id_}. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block "
                "before it."
            )
    missing = [id_ for id_ in called if id_ not in found]
    if missing and not last:
        raise invalid(
            f"messages.{place}: `web_search` tool use with id `{missing[0]}` was found without a corresponding "
            "`web_search_tool_result` block"
        )


def _check_end(turn: Turn) -> None:
    """An answer is continued only after a paused server tool; other prefilled answers are refused."""
    _, role, blocks = turn
    if role == "assistant" and not any(True for _ in _of(blocks, "server_tool_use")):
        raise invalid(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _check_thinking(spoken: list[Turn]) -> None:
    """While thinking is on, a turn in the middle of its tool calls keeps the thinking it began with."""
    if not any(True for _ in _of(spoken[-1][2], "tool_result")):
        return
    at = len(spoken) - 1
    while at > 0 and (spoken[at][1] == "assistant" or any(True for _ in _of(spoken[at][2], "tool_result"))):
        at -= 1
    first = next((turn for turn in spoken[at:] if turn[1] == "assistant"), None)
    if first is None or not first[2]:
        return
    place, _, blocks = first
    if blocks[0]["type"] not in ("thinking", "redacted_thinking"):
        raise invalid(
            f"messages.{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{blocks[0]['type']}`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block (preceding the "
            "lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`."
        )
