"""Files that people attach."""

import asyncio
from typing import Annotated
from urllib.parse import quote, unquote
from uuid import UUID, uuid4

from msgspec import Meta, Struct

from perdure.access.actor import ActorRows, Permission
from perdure.api.caller import Caller
from perdure.api.http import Answer
from perdure.api.routing import Routes
from perdure.api.services import Services
from perdure.api.uploads import FILE_LIMIT, MEDIA_TYPES, Upload, file_name, sniffed, upload_of
from perdure.core.errors import NotFound
from perdure.core.ids import FileId
from perdure.core.timing import SIGNED_URL_KEPT
from perdure.objects.contents import disposition
from perdure.store.tables import files
from perdure.store.tables.files import KeptFile


class UploadQuery(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: UUID | None = None
    """The chat that it is meant for. The message that names the file links it."""


class StoredFile(Struct, frozen=True):
    id: FileId
    name: str
    media_type: str
    size: int


class FileUrl(Struct, frozen=True):
    url: str
    expires_in_s: int


class SignedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    signature: Annotated[str, Meta(max_length=400)]


routes = Routes("files")

# Room for what a form puts around a file.
_UPLOAD_LIMIT = FILE_LIMIT + 64 * 1024


@routes.post("/files", status=201, body_limit=_UPLOAD_LIMIT)
async def upload_file(caller: Caller, query: UploadQuery, content: bytes) -> StoredFile:  # noqa: ARG001
    """Upload a file, so that a message can refer to it. Its type is read from its content."""
    caller.actor.require(Permission.CHAT)
    upload = _upload(caller, content)
    name, file_id = file_name(upload.name), FileId(uuid4())
    media_type = sniffed(upload.content, upload.media_type, name)
    await files.add(caller.rows, file_id, name, media_type, len(upload.content), upload.content)
    return StoredFile(file_id, name, media_type, len(upload.content))


@routes.get("/files/{file_id}", raw=MEDIA_TYPES)
async def read_file(caller: Caller, file_id: FileId) -> Answer:
    """A file of yours, or of a chat that you can read."""
    return await _content(caller.services, await _readable(caller.rows, file_id))


@routes.get("/files/{file_id}/url")
async def sign_file_url(caller: Caller, file_id: FileId) -> FileUrl:
    """A signed URL for the file that works for a few minutes without signing in."""
    if await files.known(caller.rows, file_id) is None:
        raise NotFound("File not found.")
    signature = caller.services.signed_urls.sign(file_id, caller.actor)
    url = f"/api/v1/files/{file_id}/content?signature={quote(signature)}"
    return FileUrl(url, round(SIGNED_URL_KEPT.total_seconds()))


@routes.get("/files/{file_id}/content", public=True, raw=MEDIA_TYPES)
async def read_signed_file(services: Services, file_id: FileId, query: SignedQuery) -> Answer:
    """A file, for anyone with its signed URL. Where object storage has it, the answer leads there."""
    actor = await services.signed_urls.actor(file_id, query.signature)
    file = await _readable(services.rows(actor), file_id)
    direct = await asyncio.to_thread(services.files.address, file)
    if direct is not None:
        # It names nobody, and is over soon: whoever asks again is looked at again.
        return Answer.redirect(direct, ("cache-control", "no-store"), ("referrer-policy", "no-referrer"))
    return await _content(services, file)


async def _readable(rows: ActorRows, file_id: FileId) -> KeptFile:
    file = await files.read(rows, file_id)
    if file is None:
        raise NotFound("File not found.")
    return file


async def _content(services: Services, file: KeptFile) -> Answer:
    headers = (
        ("content-type", file.media_type),
        ("content-disposition", disposition(file)),
        # It never changes; but whoever may not read it any more sees it for as long as a signed address works.
        ("cache-control", f"private, max-age={SIGNED_URL_KEPT.total_seconds():.0f}"),
        # Whatever it holds, it runs nothing here.
        ("content-security-policy", "default-src 'none'; sandbox"),
    )
    return Answer(200, await services.files.of(file), headers)


def _upload(caller: Caller, content: bytes) -> Upload:
    headers = caller.call.headers
    kind = headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        return upload_of(content, kind, limit=FILE_LIMIT)
    return Upload(unquote(headers.get("x-file-name", "")), kind, content).within(FILE_LIMIT)
