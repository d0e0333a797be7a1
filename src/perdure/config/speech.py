"""Where something is said that nobody types: into a chat, or into a new one that is made so."""

from msgspec import Struct

from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import ChatId, ModelName, WorkspaceId
from perdure.core.message import Effort


class WorkspaceChoice(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The template of the workspace that each chat gets."""

    template: str
    parameters: dict[str, str | int | bool] = {}


class Speech(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What schedules and triggers choose alike."""

    chat_id: ChatId | None = None
    """The chat that is spoken into; without one, a chat begins each time."""
    model: ModelName | None = None
    effort: Effort | None = None
    workspace: WorkspaceChoice | None = None
    workspace_id: WorkspaceId | None = None
    budget_limit: int | None = None

    def check(self) -> None:
        if self.chat_id is not None and (self.workspace or self.workspace_id or self.budget_limit):
            raise InvalidInput(
                "An existing chat has its own workspace and budget.",
                Validation("chat_id", "cannot be combined with fields that only a new chat takes"),
            )
