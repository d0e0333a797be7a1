"""Templates and workspaces on the wire."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import WorkspaceId
from perdure.workspaces.templates.template import Parameter, Value
from perdure.workspaces.wire import Process


class TemplateCard(Struct, frozen=True, kw_only=True):
    """A recipe for workspaces."""

    name: str
    description: str
    driver: str
    network: str
    parameters: tuple[Parameter, ...]
    readme: str


class TemplateList(Struct, frozen=True):
    items: tuple[TemplateCard, ...]


class WorkspaceCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A workspace, as far as its row tells."""

    id: WorkspaceId
    template: str
    driver: str
    status: str
    created_at: datetime
    used_at: datetime
    error: str | None = None


class WorkspaceList(Struct, frozen=True):
    items: tuple[WorkspaceCard, ...]


class NewWorkspace(Struct, frozen=True, forbid_unknown_fields=True):
    template: str = "blank"
    parameters: dict[str, Value] = {}


class FilesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = "."
    depth: int = 2


class PathQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = "."


class ProcessPage(Struct, frozen=True):
    items: tuple[Process, ...]


class Diff(Struct, frozen=True):
    """What changed in the repositories of a workspace, as unified diffs."""

    diff: str
