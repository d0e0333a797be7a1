"""Names of chats and turns as OpenAI's API has them: they say what they name, so nothing needs to be remembered."""

import re
import secrets
from typing import NamedTuple
from uuid import UUID

from perdure.core.errors import NotFound
from perdure.core.ids import ChatId, UserId
from perdure.faces.asked import TurnId
from perdure.faces.finding import keyed_chat

_TURN = re.compile(r"(?:resp_|chatcmpl-)([0-9a-f]{32})([0-7][0-9a-f]{7})")
_ITEM = re.compile(r"[a-z]+_([0-9a-f]{32})([0-7][0-9a-f]{7})[0-9a-f]{4}")
_CONVERSATION = re.compile(r"conv_(n?)([0-9a-f]{32})")


def response_id(turn: TurnId) -> str:
    return f"resp_{_text(turn)}"


def completion_id(turn: TurnId) -> str:
    return f"chatcmpl-{_text(turn)}"


def item_id(turn: TurnId, kind: str, index: int) -> str:
    """The name of one thing that the turn put out."""
    return f"{kind}_{_text(turn)}{index:04x}"


def _text(turn: TurnId) -> str:
    return f"{turn.chat_id.hex}{turn.number:08x}"


def conversation_id(chat_id: ChatId) -> str:
    return f"conv_{chat_id.hex}"


def turn_named(text: str) -> TurnId:
    match = _TURN.fullmatch(text)
    if match is None:
        raise NotFound(f"There is no response {text!r}.")
    return TurnId(ChatId(UUID(match[1])), int(match[2], 16))


def turn_of_item(text: str) -> TurnId:
    """The turn that put something out."""
    match = _ITEM.fullmatch(text)
    if match is None:
        raise NotFound(f"There is no item {text!r}.")
    return TurnId(ChatId(UUID(match[1])), int(match[2], 16))


class ConversationId(NamedTuple):
    """A conversation: a chat, or one that was announced and begins with its first message."""

    chat_id: ChatId
    text: str
    announced_at: int | None = None


def announced(now: float) -> str:
    """The name of a conversation in which nothing was said yet. It says when it was made."""
    return f"conv_n{int(now):08x}{secrets.token_hex(12)}"


def conversation_named(text: str, user_id: UserId) -> ConversationId:
    match = _CONVERSATION.fullmatch(text)
    if match is None:
        raise NotFound(f"There is no conversation {text!r}.")
    if match[1]:
        return ConversationId(keyed_chat(user_id, f"openai:announced:{match[2]}"), text, int(match[2][:8], 16))
    return ConversationId(ChatId(UUID(match[2])), text)
