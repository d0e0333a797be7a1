"""The order of items: every call answered, every answer called for, reasoning and what follows it kept together."""

from perdure.sim.document import Node
from perdure.sim.openai.errors import invalid
from perdure.sim.openai_responses.items import made_by_model

LINK = "_after_"
"""In the id of an item: the number of the reasoning item that it needs."""


def check_order(items: list[Node]) -> None:
    """Every rule that looks at more than one item."""
    _check_unique(items)
    _check_calls(items)
    _check_reasoning(items)


def _check_unique(items: list[Node]) -> None:
    seen: set[str] = set()
    for item in items:
        id_ = item.get("id")
        if id_ is None or item.fields().get("type") == "item_reference":
            continue
        if id_.text() in seen:
            message = (
                f"Duplicate item found with id {id_.text()}. Remove duplicate items from your input and try again."
            )
            raise invalid(message, "input")
        seen.add(id_.text())


def _check_calls(items: list[Node]) -> None:
    called: dict[str, bool] = {}
    for item in items:
        match item.fields():
            case {"type": "function_call" | "computer_call", "call_id": str(id_)}:
                called[id_] = False
            case {"type": "function_call_output" | "computer_call_output", "call_id": str(id_)}:
                if id_ not in called:
                    raise invalid(f"No tool call found for function call output with call_id {id_}.", "input")
                called[id_] = True
            case _:
                pass
    missing = next((id_ for id_, answered in called.items() if not answered), None)
    if missing is not None:
        raise invalid(f"No tool output found for function call {missing}.", "input")


def _check_reasoning(items: list[Node]) -> None:
    known: set[str] = set()
    for item, after in zip(items, [*items[1:], None], strict=False):
        id_ = item.get("id")
        if item.fields().get("type") == "reasoning":
            known.add(item["id"].text())
            if after is None or not made_by_model(after):
                name = item["id"].text()
                message = f"Item '{name}' of type 'reasoning' was provided without its required following item."
                raise invalid(message, "input")
        elif id_ is not None and (needed := required_reasoning(id_.text())) is not None and needed not in known:
            kind = str(item.fields().get("type", "message"))
            message = (
                f"Item '{id_.text()}' of type '{kind}' was provided without its required 'reasoning' item: '{needed}'."
            )
            raise invalid(message, "input")


def required_reasoning(id: str) -> str | None:  # noqa: A002
    """The reasoning item that an item was made with, read off its id."""
    stem, link, number = id.partition(LINK)
    return f"rs_{stem.partition('_')[2][:20]}{number}" if link else None
