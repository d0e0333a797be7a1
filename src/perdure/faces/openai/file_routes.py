"""Files, as OpenAI's API has them."""

from typing import Any
from uuid import uuid4

from perdure.access.actor import Permission
from perdure.api.http import Answer
from perdure.api.routing import Routes
from perdure.api.uploads import FILE_LIMIT, file_name, sniffed, upload_of
from perdure.core.errors import NotFound, Refused
from perdure.core.ids import FileId
from perdure.faces.content import file_id, file_named
from perdure.faces.face import Answered, Request
from perdure.faces.openai.items import page_of
from perdure.store.tables import files

routes = Routes("openai")
_MOST_LISTED = 10_000


@routes.post("/files", body_limit=FILE_LIMIT + 64 * 1024)
async def upload_file(request: Request) -> Answered:
    request.caller.actor.require(Permission.CHAT)
    upload = upload_of(request.body, request.call.headers.get("content-type", ""), limit=FILE_LIMIT)
    found, name = FileId(uuid4()), file_name(upload.name)
    media_type = sniffed(upload.content, upload.media_type, name)
    await files.add(request.caller.rows, found, name, media_type, len(upload.content), upload.content)
    return Answer.json(200, _file(await _described(request, file_id(found))))


@routes.get("/files")
async def list_files(request: Request) -> Answered:
    """Files of one's own. Only the newest are looked through."""
    owned = await files.owned(request.caller.rows, _MOST_LISTED)
    return page_of([_file(each) for each in owned], request.call)


@routes.get("/files/{name}")
async def read_file(request: Request, name: str) -> Answered:
    return Answer.json(200, _file(await _described(request, name)))


@routes.delete("/files/{name}")
async def delete_file(request: Request, name: str) -> Answered:
    """Remove a file for good. One that a chat has is part of that chat."""
    request.caller.actor.require(Permission.CHAT)
    found = await _described(request, name)
    if await files.discard(request.caller.rows, found.id) is None:
        raise Refused("A chat uses this file. Delete the chat, and the file is deleted with it.")
    return Answer.json(200, {"id": file_id(found.id), "object": "file", "deleted": True})


@routes.get("/files/{name}/content")
async def read_file_content(request: Request, name: str) -> Answered:
    found = await _stored(request, name)
    content = await request.caller.services.files.of(found)
    return Answer(200, content, (("content-type", found.media_type), ("content-security-policy", "sandbox")))


async def _stored(request: Request, name: str) -> files.KeptFile:
    found = await files.read(request.caller.rows, FileId(file_named(name)))
    if found is None:
        raise NotFound(f"There is no file {name!r}.")
    return found


async def _described(request: Request, name: str) -> files.FileRow:
    found = await files.described(request.caller.rows, FileId(file_named(name)))
    if found is None:
        raise NotFound(f"There is no file {name!r}.")
    return found


def _file(found: files.FileRow) -> dict[str, Any]:
    return {
        "id": file_id(found.id),
        "object": "file",
        "bytes": found.size,
        "created_at": round(found.created_at.timestamp()),
        "filename": found.name,
        "purpose": "user_data",
        "status": "processed",
    }
