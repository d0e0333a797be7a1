"""What clients say in the words of other protocols, as content of a message; and the files that come with it."""

import base64
import re
from uuid import UUID, uuid4

from msgspec import Struct

from perdure.api.caller import Caller
from perdure.api.uploads import FILE_LIMIT, file_name, sniffed
from perdure.api.wire.content import AnyContent as Content
from perdure.api.wire.content import FileContent, TextContent
from perdure.core.errors import InvalidInput, NotFound, TooLarge, Validation
from perdure.core.ids import FileId
from perdure.store.tables import files


class ImageUrl(Struct, frozen=True):
    url: str


class InlineFile(Struct, frozen=True, kw_only=True):
    file_id: str | None = None
    file_data: str | None = None
    filename: str | None = None


class ContentPart(Struct, frozen=True, kw_only=True):
    """A piece of a message, in the words of both APIs: `text`, `image_url` and `file`, or the same with `input_`."""

    type: str
    text: str | None = None
    refusal: str | None = None
    image_url: ImageUrl | str | None = None
    file: InlineFile | None = None
    file_id: str | None = None
    file_data: str | None = None
    filename: str | None = None


AnyContent = str | tuple[ContentPart, ...] | None

_TEXTS = frozenset({"text", "input_text", "output_text"})
_DATA = "data:"
_FILE = re.compile(r"file-([0-9a-f]{32})")


def text_of(content: AnyContent) -> str:
    """The words in it."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text or part.refusal or "" for part in content if part.type in (*_TEXTS, "refusal"))


async def read_content(caller: Caller, content: AnyContent) -> tuple[Content, ...]:
    """The same for a message of ours. Files that are sent along are kept first."""
    if content is None or isinstance(content, str):
        return (TextContent(content or ""),)
    return tuple([await _part(caller, part, index) for index, part in enumerate(content)])


async def _part(caller: Caller, part: ContentPart, index: int) -> Content:
    if part.type in _TEXTS:
        return TextContent(part.text or "")
    inline = part.file
    known = part.file_id or (inline.file_id if inline else None)
    if known is not None:
        return FileContent(file_named(known))
    url = part.image_url if isinstance(part.image_url, str) or part.image_url is None else part.image_url.url
    data = url or part.file_data or (inline.file_data if inline else None)
    if not data:
        raise InvalidInput("This kind of content is not accepted.", Validation(f"content[{index}].type", part.type))
    name = part.filename or (inline.filename if inline else None) or "attachment"
    return FileContent(await _kept(caller, data, name, index))


async def _kept(caller: Caller, data: str, name: str, index: int) -> FileId:
    if not data.startswith(_DATA):
        raise InvalidInput(
            "Send files as data URLs or by the id of an upload. Other URLs are not fetched.",
            Validation(f"content[{index}]", "is an address"),
        )
    kind, _, encoded = data.removeprefix(_DATA).partition(",")
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise InvalidInput("The file is not base64.", Validation(f"content[{index}]", "is not base64")) from None
    if len(content) > FILE_LIMIT:
        raise TooLarge(FILE_LIMIT)
    found, name = FileId(uuid4()), file_name(name)
    media_type = sniffed(content, kind.partition(";")[0], name)
    await files.add(caller.rows, found, name, media_type, len(content), content)
    return found


def file_id(found: UUID) -> str:
    return f"file-{found.hex}"


def file_named(text: str) -> UUID:
    match = _FILE.fullmatch(text)
    try:
        return UUID(match[1] if match else text)
    except ValueError:
        raise NotFound(f"There is no file {text!r}.") from None
