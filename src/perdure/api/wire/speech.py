"""Where something is said that nobody types, on the wire."""

from msgspec import UNSET, UnsetType

from perdure.api.wire.chats import Micros, TemplateName
from perdure.api.wire.chats import Name as ModelChoice
from perdure.api.wire.content import Named
from perdure.config.speech import WorkspaceChoice
from perdure.core.ids import ChatId, WorkspaceId
from perdure.core.message import Effort


class WorkspaceOfRun(WorkspaceChoice, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A workspace to be made for each chat."""

    template: TemplateName


class SpeechBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a body says of it."""

    chat_id: ChatId | None = None
    """A chat of yours to speak into; without one, a chat begins each time."""
    model: ModelChoice | None = None
    effort: Effort | None = None
    workspace: WorkspaceOfRun | None = None
    workspace_id: WorkspaceId | None = None
    budget_limit: Micros | None = None
    """What each chat may cost."""


class SpeechPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not named stays as it is."""

    chat_id: ChatId | UnsetType | None = UNSET
    model: ModelChoice | UnsetType | None = UNSET
    effort: Effort | UnsetType | None = UNSET
    workspace: WorkspaceOfRun | UnsetType | None = UNSET
    workspace_id: WorkspaceId | UnsetType | None = UNSET
    budget_limit: Micros | UnsetType | None = UNSET
