"""What people may put into a message: text, files, and lines of a file they point at."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from perdure.core.errors import InvalidInput, Validation

END = r"$(?!\n)"
"""Where a text ends. A bare $ would let a line break follow."""

LINE = r"^[^\u0000-\u001f]*" + END
"""A text of one line: it is stored in a column of its own, which holds no NUL."""

_UNSEEN = (
    r"\s\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
"""Characters that nobody sees: alone, they make no name."""

NAME = rf"^[^\u0000-\u001f]*[^{_UNSEEN}][^\u0000-\u001f]*" + END
"""A text of one line that says something."""

ClientId = Annotated[str, Meta(min_length=1, max_length=128, pattern=LINE)]


class Named(Struct, frozen=True):
    """A body that gives something a name. Blanks around a name mean nothing."""

    def __post_init__(self) -> None:
        for field in ("name", "display_name", "model"):
            if isinstance(value := getattr(self, field, None), str):
                force_setattr(self, field, value.strip())


class TextContent(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="text"):
    text: str


class FileContent(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="file"):
    """A file that was uploaded before. Name and type are what the upload said; what is sent here is ignored."""

    file_id: UUID
    name: str = ""
    media_type: str = ""


class FileReferenceContent(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="file_reference"):
    file_name: Annotated[str, Meta(min_length=1, max_length=1024)]
    start_line: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    end_line: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    content: str


AnyContent = TextContent | FileContent | FileReferenceContent
Content = Annotated[tuple[AnyContent, ...], Meta(min_length=1, max_length=200)]


def check(content: tuple[AnyContent, ...], field: str = "content") -> None:
    """Refuse text that says nothing and lines that end before they begin."""
    wrong = [
        Validation(f"{field}[{index}].{name}", detail)
        for index, part in enumerate(content)
        for name, detail in _problems(part)
    ]
    if wrong:
        raise InvalidInput("The message is not valid.", *wrong)


def _problems(part: AnyContent) -> list[tuple[str, str]]:
    match part:
        case TextContent(text=text) if not text.strip():
            return [("text", "must not be blank")]
        case FileReferenceContent(start_line=start, end_line=end) if end < start:
            return [("end_line", "must not be before start_line")]
        case _:
            return []
