"""Items: what was said in a chat, as OpenAI's API lists it."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from perdure.api.decoding import query_of
from perdure.api.http import Answer, Call
from perdure.core.errors import NotFound
from perdure.core.ids import ChatId
from perdure.core.message import AnyPart, Message, Role, Text, ToolCall, ToolResult
from perdure.faces.asked import TurnId
from perdure.faces.openai.ids import item_id

Item = dict[str, Any]


class ItemsQuery(Struct, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    order: Literal["asc", "desc"] = "desc"
    after: str | None = None


def items_of(chat_id: ChatId, said: Iterable[Message]) -> list[Item]:
    """What messages say, in their order."""
    return [item for message in said for item in _items(TurnId(chat_id, message.number), message)]


def _items(turn: TurnId, message: Message) -> list[Item]:
    found = ((index, _item(message, part)) for index, part in enumerate(message.parts))
    return [{"id": item_id(turn, kind, index), **item, "status": "completed"} for index, (kind, item) in found if item]


def _item(message: Message, part: AnyPart) -> tuple[str, Item]:
    match part:
        case Text(text=text):
            content = input_text(text) if message.role is Role.USER else output_text(text)
            return "msg", {"type": "message", "role": message.role, "content": [content]}
        case ToolCall():
            called = {"call_id": part.call_id, "name": part.tool, "arguments": part.args}
            return "fc", {"type": "function_call", **called}
        case ToolResult():
            return "fco", {"type": "function_call_output", "call_id": part.call_id, "output": part.result}
        case _:
            return "", {}


def input_text(text: str) -> Item:
    return {"type": "input_text", "text": text}


def output_text(text: str) -> Item:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def item_named(items: Iterable[Item], name: str) -> Item:
    found = next((item for item in items if item["id"] == name), None)
    if found is None:
        raise NotFound(f"There is no item {name!r} here.")
    return found


def page_of(items: Sequence[Item], call: Call) -> Answer:
    """The page that a request asks for. Without a word of it the newest come first, as everywhere in this API."""
    known = {name: value for name, value in call.query.items() if name in ("limit", "order", "after")}
    query: ItemsQuery = query_of(ItemsQuery, known)
    ordered = list(items if query.order == "asc" else reversed(items))
    if query.after is not None:
        ordered = ordered[ordered.index(item_named(ordered, query.after)) + 1 :]
    return listed(ordered[: query.limit], more=len(ordered) > query.limit)


def listed(items: Sequence[Item], *, more: bool = False) -> Answer:
    first, last = (items[0]["id"], items[-1]["id"]) if items else (None, None)
    return Answer.json(200, {"object": "list", "data": items, "first_id": first, "last_id": last, "has_more": more})
