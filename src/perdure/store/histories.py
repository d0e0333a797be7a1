"""Reading what a turn needs of a chat: its card and its messages, as far as they are news."""

from dataclasses import dataclass

import msgspec
from asyncpg import Record

from perdure.core.card import Card, ChatSettings, ClientTool
from perdure.core.errors import ChatNotFound
from perdure.core.ids import ChatId, MessageNumber, UserId
from perdure.core.message import Effort, Message
from perdure.store.pool import Pool
from perdure.store.rows import message_of
from perdure.store.tables import messages
from perdure.store.tables.cards import CardRow

_client_tools = msgspec.json.Decoder(tuple[ClientTool, ...])
_settings = msgspec.json.Decoder(ChatSettings)


@dataclass(frozen=True, slots=True)
class News:
    """A card, the messages that are new or changed, and the numbers of those that an edit hid."""

    card: Card
    messages: tuple[Message, ...]
    hidden: frozenset[MessageNumber]


async def load_history(pool: Pool, chat_id: ChatId, *, since: int = 0) -> News:
    """What changed in a chat's prompt after the revision `since`."""
    rows = await messages.load_history(pool, chat_id, since)
    if not rows:
        raise ChatNotFound
    present = [row for row in rows if row["number"] is not None]
    return News(
        card=_loaded_card(rows[0]),
        messages=tuple(message_of(row) for row in present if row["hidden_in"] is None),
        hidden=frozenset(MessageNumber(row["number"]) for row in present if row["hidden_in"] is not None),
    )


def seen_card(row: CardRow, asked_by: UserId | None) -> Card | None:
    """The card in a row of the view `cards`; None where that does not say how deep in its family the chat is."""
    if row.parent_id is not None:
        return None
    return Card(
        id=row.id,
        owner_id=row.owner_id,
        asked_by=asked_by,
        organisation_id=row.organisation_id,
        title=row.title,
        title_source=row.title_source,
        parent_id=row.parent_id,
        root_id=row.root_id,
        agent_type=row.agent_type,
        model=row.model,
        effort=row.effort,
        plan_mode=row.plan_mode,
        workspace_id=row.workspace_id,
        client_tools=_client_tools.decode(row.client_tools),
        client_tool_deadline=row.client_tool_deadline,
        settings=_settings.decode(row.settings),
        turns=row.turns,
        summarised_turns=row.summarised_turns,
    )


def _loaded_card(row: Record) -> Card:
    return Card(
        id=row["id"],
        owner_id=row["owner_id"],
        asked_by=row["asked_by"],
        excluded=row["excluded"],
        organisation_id=row["organisation_id"],
        title=row["title"],
        title_source=row["title_source"],
        parent_id=row["parent_id"],
        root_id=row["root_id"],
        agent_type=row["agent_type"],
        model=row["card_model"],
        effort=Effort(row["card_effort"]) if row["card_effort"] else None,
        plan_mode=row["plan_mode"],
        workspace_id=row["workspace_id"],
        client_tools=_client_tools.decode(row["client_tools"]),
        client_tool_deadline=row["client_tool_deadline"],
        settings=_settings.decode(row["settings"]),
        turns=row["turns"],
        summarised_turns=row["summarised_turns"],
        depth=row["depth"],
    )
