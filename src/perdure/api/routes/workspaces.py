"""Templates, and the workspaces that are made from them."""

from collections.abc import Sequence
from urllib.parse import quote

from perdure.access.actor import Permission
from perdure.api.archive import zipped
from perdure.api.caller import Caller
from perdure.api.chat_workspaces import wish_of
from perdure.api.http import Answer
from perdure.api.routing import Routes
from perdure.api.uploads import FILE_LIMIT
from perdure.api.wire.control import Nothing
from perdure.api.wire.workspaces import (
    ContentQuery,
    ContextEntry,
    ContextView,
    Diff,
    DiffQuery,
    FilesQuery,
    NewWorkspace,
    PathQuery,
    ProcessPage,
    TemplateBody,
    TemplateCard,
    TemplateList,
    TemplatesQuery,
    WorkspaceCard,
    WorkspaceChat,
    WorkspaceList,
    WorkspaceName,
    WorkspaceSize,
    WorkspaceSkill,
)
from perdure.config.templates import TemplateConfiguration
from perdure.core.errors import NotFound
from perdure.core.ids import ChatId, WorkspaceId
from perdure.store.tables import workspaces
from perdure.store.tables.workspaces import ActingChat, WorkspaceRow
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.templates.template import Template, Texts
from perdure.workspaces.wire import ContextSnapshot, GitState, Listing

routes = Routes("workspaces")

DEEPEST = 6
# All files of a template together, in base64, and its texts.
TEMPLATE_BYTES = 24 * 1024 * 1024
# What a viewer in the browser can show.
SHOWN_BYTES = 1024 * 1024
KEPT_BYTES = 16 * 1024 * 1024


@routes.get("/templates")
async def list_templates(caller: Caller, query: TemplatesQuery) -> TemplateList:
    """The templates for workspaces; with `q` those that contain all of its words."""
    catalogue = caller.services.workspaces.templates
    found = await catalogue.all(caller.actor.organisation_id)
    words = query.q.casefold().split()
    return TemplateList(tuple(_template(each, catalogue) for each in found if _says(each, words)))


@routes.get("/templates/{name}")
async def read_template(caller: Caller, name: str) -> TemplateCard:
    """One template."""
    catalogue = caller.services.workspaces.templates
    return _template(await catalogue.find(caller.actor.organisation_id, name), catalogue)


@routes.put("/templates/{name}", body_limit=TEMPLATE_BYTES)
async def put_template(caller: Caller, name: str, body: TemplateBody) -> TemplateCard:
    """Add a template, or a new version of one. Existing workspaces stay as they are."""
    template = await _brought(caller).put(Texts(name, body.recipe, body.readme, body.files))
    return _template(template, caller.services.workspaces.templates)


@routes.delete("/templates/{name}")
async def delete_template(caller: Caller, name: str) -> None:
    """Remove a template. Workspaces created from it are kept."""
    await _brought(caller).remove(name)


@routes.get("/workspaces")
async def list_workspaces(caller: Caller) -> WorkspaceList:
    """Your workspaces, newest first."""
    rows = await workspaces.own(caller.rows)
    acting = await workspaces.acting_chats(caller.rows, [row.id for row in rows])
    return WorkspaceList(tuple([await _card(caller, row, acting) for row in rows]))


@routes.post("/workspaces", status=201, apart=True)
async def create_workspace(caller: Caller, body: NewWorkspace) -> WorkspaceCard:
    """Create a workspace from a template. It is ready when this returns, unless told not to wait."""
    caller.actor.require(Permission.CHAT)
    workspaces, wish = caller.services.workspaces, await wish_of(caller, body.template, body.parameters)
    make = workspaces.create if body.wait else workspaces.begin
    made = await make(WorkspaceId(caller.made_id("workspace")), wish)
    return await _card(caller, await _row(caller, made.id))


@routes.get("/workspaces/{workspace_id}")
async def read_workspace(caller: Caller, workspace_id: WorkspaceId) -> WorkspaceCard:
    """One of your workspaces."""
    return await _card(caller, await _row(caller, workspace_id))


@routes.patch("/workspaces/{workspace_id}")
async def rename_workspace(caller: Caller, workspace_id: WorkspaceId, body: WorkspaceName) -> WorkspaceCard:
    """Rename a workspace."""
    await _row(caller, workspace_id)
    await workspaces.rename(caller.rows, workspace_id, body.name.strip())
    return await _card(caller, await _row(caller, workspace_id))


@routes.get("/workspaces/{workspace_id}/size")
async def read_workspace_size(caller: Caller, workspace_id: WorkspaceId) -> WorkspaceSize:
    """The size of its files on disk, measured now."""
    return WorkspaceSize(await caller.services.workspaces.size(await _row(caller, workspace_id)))


@routes.delete("/workspaces/{workspace_id}", apart=True)
async def delete_workspace(caller: Caller, workspace_id: WorkspaceId) -> None:
    """Remove a workspace and all its files."""
    await caller.services.workspaces.remove(await _row(caller, workspace_id))
    await workspaces.remove_own(caller.rows, workspace_id)


@routes.post("/workspaces/{workspace_id}/start", apart=True)
async def start_workspace(caller: Caller, workspace_id: WorkspaceId, body: Nothing) -> WorkspaceCard:  # noqa: ARG001
    """Start a workspace, if it is stopped."""
    await _client(caller, workspace_id)
    return await _card(caller, await _row(caller, workspace_id))


@routes.post("/workspaces/{workspace_id}/stop", apart=True)
async def stop_workspace(caller: Caller, workspace_id: WorkspaceId, body: Nothing) -> WorkspaceCard:  # noqa: ARG001
    """Stop a workspace: its processes end, its files are kept."""
    await caller.services.workspaces.stop(await _row(caller, workspace_id))
    return await _card(caller, await _row(caller, workspace_id))


@routes.get("/workspaces/{workspace_id}/files")
async def list_workspace_files(caller: Caller, workspace_id: WorkspaceId, query: FilesQuery) -> Listing:
    """Files and folders."""
    client = await _client(caller, workspace_id)
    return await client.files.list(query.path, max(1, min(query.depth, DEEPEST)))


@routes.get("/workspaces/{workspace_id}/files/content", raw=("application/octet-stream",))
async def read_workspace_file(caller: Caller, workspace_id: WorkspaceId, query: ContentQuery) -> Answer:
    """The content of a file: up to 1 MB to show, up to 16 MB to download."""
    client = await _client(caller, workspace_id)
    content = await client.files.content(query.path, KEPT_BYTES if query.download else SHOWN_BYTES)
    headers = (("content-type", "application/octet-stream"), ("content-security-policy", "default-src 'none'; sandbox"))
    name = (("content-disposition", _kept_as(query.path.rpartition("/")[2])),) if query.download else ()
    return Answer(200, content, headers + name)


@routes.put("/workspaces/{workspace_id}/files/content", status=204, body_limit=FILE_LIMIT, apart=True)
async def put_workspace_file(caller: Caller, workspace_id: WorkspaceId, query: PathQuery, content: bytes) -> None:
    """Upload a file to the workspace, replacing one at its path."""
    caller.actor.require(Permission.CHAT)
    client = await _client(caller, workspace_id)
    await client.files.put(query.path, content)


@routes.get("/workspaces/{workspace_id}/archive", raw=("application/zip",), apart=True)
async def download_workspace(caller: Caller, workspace_id: WorkspaceId, query: PathQuery) -> Answer:
    """All files, or those of one folder, as a zip archive; links are left out."""
    client = await _client(caller, workspace_id)
    content = await zipped(client.files, query.path)
    name = query.path.strip("./").rpartition("/")[2] or f"workspace-{str(workspace_id)[:8]}"
    headers = (
        ("content-type", "application/zip"),
        ("content-disposition", _kept_as(f"{name}.zip")),
    )
    return Answer(200, content, headers)


@routes.get("/workspaces/{workspace_id}/processes")
async def list_processes(caller: Caller, workspace_id: WorkspaceId) -> ProcessPage:
    """The commands that were started in a workspace."""
    client = await _client(caller, workspace_id)
    return ProcessPage(tuple(await client.processes.list()))


@routes.get("/workspaces/{workspace_id}/git")
async def read_git(caller: Caller, workspace_id: WorkspaceId) -> GitState:
    """The status of its Git repositories."""
    return await (await _client(caller, workspace_id)).git.state()


@routes.get("/workspaces/{workspace_id}/diff")
async def read_diff(caller: Caller, workspace_id: WorkspaceId, query: DiffQuery) -> Diff:
    """What changed in its repositories since their last commits, read now."""
    client = await _client(caller, workspace_id)
    state = await client.git.state()
    paths = [each.path for each in state.repositories if query.path in (None, each.path)]
    if not paths:
        raise NotFound("This workspace has no such repository.")
    return Diff("\n".join([(await client.git.diff(path)).diff for path in paths]))


@routes.get("/chats/{chat_id}/context")
async def read_context(caller: Caller, chat_id: ChatId) -> ContextView:
    """What the chat's workspace tells its agent: pinned, so that the prompt stays as it is."""
    seen = await caller.chats.read(chat_id)
    found = await caller.services.contexts.known(chat_id, seen.row.root_id or chat_id)
    return _context(found, dirty=seen.card.context_dirty)


@routes.post("/chats/{chat_id}/context/refresh", apart=True)
async def refresh_context(caller: Caller, chat_id: ChatId, body: Nothing) -> ContextView:  # noqa: ARG001
    """Pin what the workspace tells now. It counts from the next turn on."""
    seen = await caller.chats.own(chat_id)
    home = seen.row.root_id or chat_id
    return _context(await caller.services.contexts.refresh(chat_id, home, turns=seen.row.turns), dirty=False)


def _kept_as(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def _brought(caller: Caller) -> TemplateConfiguration:
    return TemplateConfiguration(caller.rows, caller.services.workspaces.templates)


def _says(template: Template, words: list[str]) -> bool:
    text = f"{template.name}\n{template.recipe.description}\n{template.readme}".casefold()
    return all(word in text for word in words)


def _template(template: Template, catalogue: TemplateCatalogue) -> TemplateCard:
    return TemplateCard(
        name=template.name,
        description=template.recipe.description,
        driver=template.recipe.driver,
        network=template.recipe.network.value,
        parameters=template.recipe.parameters,
        readme=template.readme,
        shipped=catalogue.ships(template.name),
    )


def _context(found: ContextSnapshot | None, *, dirty: bool) -> ContextView:
    if found is None:
        return ContextView()
    return ContextView(
        hash=found.hash,
        dirty=dirty,
        files=tuple(ContextEntry(file.path, file.sha256, file.truncated) for file in found.files),
        skills=tuple(WorkspaceSkill(skill.name, skill.description, skill.path) for skill in found.skills),
        mcp=tuple(ContextEntry(file.path, file.sha256, file.truncated) for file in found.mcp),
    )


async def _row(caller: Caller, workspace_id: WorkspaceId) -> WorkspaceRow:
    row = await workspaces.read(caller.rows, workspace_id)
    if row is None:
        raise NotFound("Workspace not found.")
    return row


async def _client(caller: Caller, workspace_id: WorkspaceId) -> WorkspaceClient:
    return await caller.services.workspaces.client(await _row(caller, workspace_id))


async def _card(caller: Caller, row: WorkspaceRow, acting: Sequence[ActingChat] | None = None) -> WorkspaceCard:
    known = await workspaces.acting_chats(caller.rows, [row.id]) if acting is None else acting
    return WorkspaceCard(
        id=row.id,
        name=row.name,
        template=row.template,
        driver=row.driver,
        status=row.status,
        created_at=row.created_at,
        used_at=row.used_at,
        sandboxed=await caller.services.workspaces.sandboxed(row),
        error=row.error,
        chats=tuple(WorkspaceChat(chat.id, chat.title) for chat in known if chat.workspace_id == row.id),
    )
