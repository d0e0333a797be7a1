"""What somebody says: from the content of a request to the parts of a message, as hooks leave them."""

from dataclasses import dataclass
from uuid import UUID

from perdure.access.actor import Actor, ActorRows
from perdure.api.wire.content import AnyContent, FileContent, FileReferenceContent, TextContent, check
from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import ChatId, FileId, ModelName
from perdure.core.message import AnyPart, Effort, File, FileReference, NewMessage, Role, Text
from perdure.store.tables.files import usable
from perdure.tools.hooks.hooks import Hooks, submitted
from perdure.tools.hooks.messages import Subject


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says: its parts, and the files that come into the chat with it."""

    parts: tuple[AnyPart, ...]
    files: tuple[FileId, ...] = ()

    def message_of(
        self, actor: Actor, *, model: ModelName | None, effort: Effort | None, client_id: str | None
    ) -> NewMessage:
        """The message of a user who says it."""
        return NewMessage(
            role=Role.USER,
            parts=self.parts,
            created_by=actor.user_id,
            author=actor.name or None,
            model=model,
            effort=effort,
            client_id=client_id,
        )


async def read_content(rows: ActorRows, content: tuple[AnyContent, ...], chat_id: ChatId | None = None) -> Said:
    """What is said, with the files that are the speaker's own and that the chat does not hold yet."""
    check(content)
    wanted = [part.file_id for part in content if isinstance(part, FileContent)]
    found = await usable(rows, wanted, chat_id) if wanted else []
    files: dict[UUID, File] = {file.id: File(str(file.id), file.name, file.media_type) for file in found}
    parts = tuple(_part(part, index, files) for index, part in enumerate(content))
    held: set[UUID] = {file.id for file in found if file.held}
    return Said(parts, tuple(FileId(file_id) for file_id in dict.fromkeys(wanted) if file_id not in held))


async def after_hooks(hooks: Hooks, actor: Actor, said: Said, chat_id: ChatId | None, *, begins: str = "") -> Said:
    """What is said, as the organisation's hooks leave it. Nothing is stored yet."""
    subject = Subject(organisation_id=actor.organisation_id, owner_id=actor.user_id, chat_id=chat_id)
    return Said(await submitted(hooks, subject, said.parts, begins=begins), said.files)


def _part(part: AnyContent, index: int, files: dict[UUID, File]) -> AnyPart:
    match part:
        case TextContent(text=text):
            return Text(text)
        case FileReferenceContent():
            return FileReference(part.file_name, part.start_line, part.end_line, part.content)
        case FileContent(file_id=file_id):
            if file_id not in files:
                raise InvalidInput("File not found.", Validation(f"content[{index}].file_id", "is not known"))
            return files[file_id]
