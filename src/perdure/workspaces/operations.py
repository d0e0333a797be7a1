"""What tools do in a workspace, one function each: asked in a model's words, answered in ours, safe to ask again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath

from perdure.core.errors import WorkspaceLost, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.timing import BACKGROUND_GLANCE, EXECUTE_TIMEOUT, PROCESS_GRACE, WORKSPACE_LONG_POLL
from perdure.workspaces import answers, wire
from perdure.workspaces.client import WorkspaceClient

MOST_BYTES = 10 * 1024 * 1024
NAME_BYTES = 255
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
TEXTS = {".json": "application/json", ".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown"}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on its way into a chat."""

    name: str
    media_type: str
    content: bytes


def attachment(path: str, name: str | None, content: bytes) -> Attachment:
    """A file with the type its bytes say, not the one its name claims."""
    chosen = PurePosixPath(name or path).name
    if not chosen or len(chosen.encode()) > NAME_BYTES:
        raise WorkspaceRefused("invalid", f"The name must have 1 to {NAME_BYTES} bytes.")
    kind = media_type(chosen, content)
    if kind is None:
        raise WorkspaceRefused(
            "not_attachable",
            f"{path} cannot be attached: only PNG, JPEG, GIF, WebP, PDF, JSON, CSV, Markdown and plain text can. "
            "Convert it first.",
        )
    return Attachment(chosen, kind, content)


def media_type(name: str, content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    for signature, kind in SIGNATURES:
        if content.startswith(signature):
            return kind
    suffix = PurePosixPath(name).suffix.lower()
    if b"\0" in content or suffix == ".svg":
        return None
    try:
        content.decode()
    except UnicodeDecodeError:
        return None
    return TEXTS.get(suffix, "text/plain")


PAGE = 2000
LOST = (
    "The workspace restarted while this ran. It may or may not have been done; look at the files before trying again."
)


async def read_file(client: WorkspaceClient, path: str, offset: int = 1, limit: int = PAGE) -> str | wire.ImagePage:
    """Numbered lines of a text file, or an image as an image."""
    found = await client.files.read(path, offset, limit)
    return found if isinstance(found, wire.ImagePage) else answers.page(found)


async def write_file(client: WorkspaceClient, key: str, path: str, content: str, *, through_links: bool = True) -> str:
    return answers.written(_done(await client.files.write(path, content, key=key, through_links=through_links)))


async def edit_files(
    client: WorkspaceClient, key: str, files: Sequence[wire.FileEdits], *, through_links: bool = True
) -> str:
    return answers.diffs(_done(await client.files.edit(files, key=key, through_links=through_links)))


async def search_files(client: WorkspaceClient, pattern: str, path: str = ".", glob: str | None = None) -> str:
    return answers.matches(await client.files.search(pattern, path, glob))


async def list_files(client: WorkspaceClient, path: str = ".", depth: int = 2) -> str:
    return answers.listing(await client.files.list(path, depth))


async def attach_file(client: WorkspaceClient, path: str, name: str | None = None) -> Attachment:
    return attachment(path, name, await client.files.content(path, MOST_BYTES))


async def execute(
    client: WorkspaceClient,
    key: str,
    command: str,
    *,
    workdir: str = ".",
    timeout: timedelta = EXECUTE_TIMEOUT,
    background: bool = False,
    again: Callable[[], Awaitable[WorkspaceClient]] | None = None,
) -> wire.Process:
    """Run a command, or find the run this key already is, and wait for its end as long as asked.

    Neither a timeout nor a broken connection ends it. Where waiting breaks, one more look tells how it stands;
    `again` finds a new way in for it.
    """
    line, trailing = split_background(command)
    patience = BACKGROUND_GLANCE if background or trailing else timeout
    process = await client.processes.start(line, key=key, workdir=workdir)
    if process.state is wire.ProcessState.RUNNING:
        try:
            process = await client.processes.wait(process.id, patience)
        except WorkspaceUnreachable:
            inside = await again() if again else client
            await inside.reach()
            process = await inside.processes.find(key)
    if process.state is wire.ProcessState.LOST:
        raise WorkspaceLost(LOST)
    return process


async def interrupt(client: WorkspaceClient, key: str, grace: timedelta = PROCESS_GRACE) -> wire.Process:
    """End the run of a key and everything below it; the answer says how long it took until all was quiet."""
    process = await client.processes.find(key)
    return await client.processes.stop(process.id, grace) if process.state is wire.ProcessState.RUNNING else process


async def process_output(client: WorkspaceClient, process: str, wait: timedelta = timedelta()) -> wire.Process:
    return await client.processes.wait(process, min(wait, WORKSPACE_LONG_POLL * 3))


async def process_list(client: WorkspaceClient) -> str:
    return answers.processes(await client.processes.list())


async def process_signal(
    client: WorkspaceClient, process: str, signal: str = "TERM", *, key: str | None = None
) -> wire.Process:
    """TERM ends it for sure: what ignores it is killed after a grace. Other signals are only sent."""
    name = signal.upper().removeprefix("SIG")
    if name == "TERM":
        return await client.processes.stop(process)
    return await client.processes.signal(process, name, key=key)


def split_background(command: str) -> tuple[str, bool]:
    """A trailing `&` means background; `&&` and an escaped one do not."""
    line = command.rstrip()
    if not line.endswith("&") or line.endswith(("&&", "\\&", ">&", "<&", "|&")):
        return command, False
    return line[:-1].rstrip(), True


def _done(result: wire.Written) -> wire.Written:
    match result.state:
        case "done":
            return result
        case "lost":
            raise WorkspaceLost(LOST)
        case _:
            fault = result.error or wire.Fault("failed", LOST)
            raise WorkspaceRefused(fault.code, fault.message)
