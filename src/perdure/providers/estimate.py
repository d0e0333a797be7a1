"""How many tokens a prompt is likely to have, without asking anyone: rather too many than too few."""

from collections.abc import Iterable

import msgspec

from perdure.core.message import NewMessage
from perdure.core.parts import AnyPart, File, FileReference, Notice, Reasoning, Source, Text, ToolCall, ToolResult
from perdure.providers.request import ToolSpec

BYTES_PER_TOKEN = 3
"""English prose has four and more, code and JSON about three, most other scripts two to three per token."""
MESSAGE_TOKENS = 8
PICTURE_TOKENS = 1_600
"""A picture as large as models look at."""
DOCUMENT_TOKENS = 20_000


def tokens_in(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def estimate(messages: Iterable[NewMessage], *, system: Iterable[str] = (), tools: Iterable[ToolSpec] = ()) -> int:
    """Tokens of a prompt."""
    spoken = sum(MESSAGE_TOKENS + sum(map(_part, message.parts)) for message in messages)
    described = sum(len(msgspec.json.encode(tool)) // BYTES_PER_TOKEN for tool in tools)
    return spoken + described + sum(map(tokens_in, system))


def _part(part: AnyPart) -> int:
    match part:
        case Text(text=text):
            return tokens_in(text)
        case Reasoning(text=text, provider_metadata=metadata):
            return tokens_in(text) if metadata is not None else 0
        case ToolCall(tool=tool, args=args):
            return tokens_in(tool) + tokens_in(args) + MESSAGE_TOKENS
        case ToolResult(result=result, media=media):
            # What a tool hands over besides pictures is for people.
            pictures = sum(item.media_type.startswith("image/") for item in media)
            return tokens_in(result) + MESSAGE_TOKENS + pictures * PICTURE_TOKENS
        case File(media_type=media_type):
            return _file(media_type)
        case FileReference(content=content):
            return tokens_in(content) + MESSAGE_TOKENS
        case Source() | Notice():
            return 0


def _file(media_type: str) -> int:
    return PICTURE_TOKENS if media_type.startswith("image/") else DOCUMENT_TOKENS
