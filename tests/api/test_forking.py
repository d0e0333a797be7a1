"""Which files a fork takes along."""

from datetime import UTC, datetime
from uuid import UUID

from perdure.api.routes.copies import files_in
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, File, Media, Message, Role, ToolResult

FIRST, SECOND = UUID(int=1), UUID(int=2)


def _message(role: Role, *parts: AnyPart) -> Message:
    return Message(number=MessageNumber(1), revision=1, created_at=datetime.now(UTC), role=role, parts=parts)


def test_what_people_attached_is_told_from_what_tools_made() -> None:
    screen, notes = Media(str(SECOND), "image/png", "screen.png"), Media(str(FIRST), "text/plain", "notes.txt")
    attached, made = files_in(
        [
            _message(Role.USER, File(str(FIRST), "notes.txt", "text/plain")),
            _message(Role.TOOL, ToolResult("c1", "look", "", media=(screen, notes))),
        ]
    )
    assert (list(attached), list(made)) == ([FIRST], [SECOND])
