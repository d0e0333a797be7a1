"""Templates and workspaces on the wire."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from perdure.api.wire.chats import TemplateName
from perdure.api.wire.content import LINE
from perdure.core.ids import ChatId, WorkspaceId
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
    shipped: bool


class TemplateBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A template's texts: the recipe is the file template.toml, contents of files are base64."""

    recipe: str
    readme: str = ""
    files: dict[str, bytes] = {}


class TemplatesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=1_000)] = ""
    """Words that a template has in its name, its description or its readme."""


class TemplateList(Struct, frozen=True):
    items: tuple[TemplateCard, ...]


class WorkspaceChat(Struct, frozen=True):
    id: ChatId
    title: str


class WorkspaceCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A workspace, as far as its row tells."""

    id: WorkspaceId
    name: str = ""
    """What its owner calls it."""
    template: str
    driver: str
    status: str
    created_at: datetime
    used_at: datetime
    sandboxed: bool = True
    """False where commands are not kept away from the host: show it in red."""
    error: str | None = None
    chats: tuple[WorkspaceChat, ...] = ()
    """Your chats that act in it, newest first."""


class WorkspaceName(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(max_length=80, pattern=LINE)]


class WorkspaceSize(Struct, frozen=True, omit_defaults=True):
    bytes: int | None = None
    """What its files take; nothing where that cannot be told without starting it."""


class WorkspaceList(Struct, frozen=True):
    items: tuple[WorkspaceCard, ...]


class NewWorkspace(Struct, frozen=True, forbid_unknown_fields=True):
    template: TemplateName = "blank"
    parameters: dict[str, Value] = {}
    wait: bool = True
    """False: it is only noted, and made when it is used first or its build is followed."""


class FilesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = "."
    depth: int = 2


class DiffQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str | None = None
    """One repository, as the state of git names it; all of them without it."""


class PathQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = "."


class ContentQuery(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = "."
    download: bool = False
    """To be kept rather than shown: a larger file, under its name."""


class ProcessPage(Struct, frozen=True):
    items: tuple[Process, ...]


class ContextEntry(Struct, frozen=True):
    """A file that says how to work in a workspace."""

    path: str
    sha256: str
    truncated: bool


class WorkspaceSkill(Struct, frozen=True):
    name: str
    description: str
    path: str


class ContextView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the chat's agent is told by its workspace. Dirty: the workspace says something else by now."""

    hash: str | None = None
    """Absent where nothing is pinned; empty where the workspace did not answer."""
    dirty: bool = False
    files: tuple[ContextEntry, ...] = ()
    skills: tuple[WorkspaceSkill, ...] = ()
    mcp: tuple[ContextEntry, ...] = ()


class Diff(Struct, frozen=True):
    """What changed in the repositories of a workspace, as unified diffs."""

    diff: str
