"""Reading what a turn needs of a chat: its card and its messages, as far as they are news."""

from dataclasses import dataclass

import msgspec
from asyncpg import Pool, Record

from perdure.core.card import Card, ChatSettings, ClientTool
from perdure.core.errors import ChatNotFound
from perdure.core.ids import ChatId, MessageNumber, ModelName
from perdure.core.message import Effort, Message
from perdure.store.away import asking_the_database
from perdure.store.queries import query
from perdure.store.rows import message_of

_client_tools = msgspec.json.Decoder(tuple[ClientTool, ...])
_settings = msgspec.json.Decoder(ChatSettings)


@dataclass(frozen=True, slots=True)
class News:
    """A card, the messages that are new or changed, and the numbers of those that an edit hid."""

    card: Card
    messages: tuple[Message, ...]
    hidden: frozenset[MessageNumber]


async def load_history(pool: "Pool[Record]", chat_id: ChatId, *, since: int = 0) -> News:
    """What changed in a chat's prompt after the revision `since`."""
    with asking_the_database():
        rows = await pool.fetch(query("messages/load_history"), chat_id, since)
    if not rows:
        raise ChatNotFound
    present = [row for row in rows if row["number"] is not None]
    return News(
        card=_card_of(rows[0], model=rows[0]["card_model"], effort=rows[0]["card_effort"], depth=rows[0]["depth"]),
        messages=tuple(message_of(row) for row in present if row["hidden_in"] is None),
        hidden=frozenset(MessageNumber(row["number"]) for row in present if row["hidden_in"] is not None),
    )


def seen_card(row: Record) -> Card | None:
    """The card in a row of the view `cards`; None where that does not say how deep in its family the chat is."""
    if row["parent_id"] is not None:
        return None
    return _card_of(row, model=row["model"], effort=row["effort"], depth=0)


def _card_of(row: Record, *, model: ModelName | None, effort: str | None, depth: int) -> Card:
    return Card(
        id=row["id"],
        owner_id=row["owner_id"],
        organisation_id=row["organisation_id"],
        title=row["title"],
        title_source=row["title_source"],
        parent_id=row["parent_id"],
        root_id=row["root_id"],
        agent_type=row["agent_type"],
        model=model,
        effort=Effort(effort) if effort else None,
        plan_mode=row["plan_mode"],
        workspace_id=row["workspace_id"],
        client_tools=_client_tools.decode(row["client_tools"]),
        client_tool_deadline=row["client_tool_deadline"],
        settings=_settings.decode(row["settings"]),
        turns=row["turns"],
        summarised_turns=row["summarised_turns"],
        depth=depth,
    )
