"""How many tokens a prompt is likely to have, without asking anyone: rather too many than too few."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from perdure.core.message import (
    AnyPart,
    File,
    FileReference,
    NewMessage,
    NoticePart,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from perdure.core.remembering import MadeOnceOfAll
from perdure.providers.projection.media import Attachment
from perdure.providers.request import TOOLSETS_KEPT, ToolSpec

BYTES_PER_TOKEN = 3
"""English prose has four and more, code and JSON about three, most other scripts two to three per token."""
MESSAGE_TOKENS = 8
PICTURE_TOKENS = 1_600
"""A picture as large as models look at."""
PAGE_TOKENS = 3_000
"""A page of a PDF with much on it, as text and as a picture."""
PAGE_BYTES = 100_000
"""So much of a PDF is taken for a page where its pages cannot be counted."""
_PAGE = re.compile(rb"/Type ?/Page(?!s)")
_NONE: Mapping[str, int] = {}


def tokens_in(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def estimate(
    messages: Iterable[NewMessage],
    *,
    system: Iterable[str] = (),
    tools: Sequence[ToolSpec] = (),
    files: Mapping[str, int] = _NONE,
) -> int:
    """Tokens of a prompt. How many each file takes is for whoever knows the files to say."""
    spoken = sum(MESSAGE_TOKENS + sum(_part(part, files) for part in message.parts) for message in messages)
    return spoken + _described(tools) + sum(map(tokens_in, system))


_described = MadeOnceOfAll[ToolSpec, int](
    lambda tools: sum(len(msgspec.json.encode(tool)) // BYTES_PER_TOKEN for tool in tools), room=TOOLSETS_KEPT
)


def file_tokens(sent: Text | Attachment) -> int:
    """Tokens of a file as a model gets it."""
    if isinstance(sent, Text):
        return tokens_in(sent.text)
    if sent.picture:
        return PICTURE_TOKENS
    return PAGE_TOKENS * max(len(_PAGE.findall(sent.data)), 1 + len(sent.data) // PAGE_BYTES)


def _part(part: AnyPart, files: Mapping[str, int]) -> int:
    match part:
        case Text(text=text):
            return tokens_in(text)
        case Reasoning(text=text, provider_metadata=metadata):
            return tokens_in(text) if metadata is not None else 0
        case ToolCall(tool=tool, args=args):
            return tokens_in(tool) + tokens_in(args) + MESSAGE_TOKENS
        case ToolResult(result=result, media=media):
            return tokens_in(result) + MESSAGE_TOKENS + sum(files.get(item.file_id, 0) for item in media)
        case File(file_id=file_id):
            return files.get(file_id, 0)
        case FileReference(content=content):
            return tokens_in(content) + MESSAGE_TOKENS
        case Source() | NoticePart():
            return 0
