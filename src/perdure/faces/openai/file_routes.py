"""Files, as OpenAI's API has them."""

from typing import Any
from uuid import uuid4

from perdure.access.actor import Permission
from perdure.api.http import Answer
from perdure.api.routing import Routes
from perdure.api.uploads import FILE_LIMIT, file_name, sniffed, upload_of
from perdure.core.errors import NotFound
from perdure.core.ids import FileId
from perdure.faces.content import file_id, file_named
from perdure.faces.face import Answered, Request
from perdure.store.tables import files

routes = Routes("openai")


@routes.post("/files", body_limit=FILE_LIMIT + 64 * 1024)
async def upload_file(request: Request) -> Answered:
    request.caller.actor.require(Permission.CHAT)
    upload = upload_of(request.body, request.call.headers.get("content-type", ""), limit=FILE_LIMIT)
    found, name = FileId(uuid4()), file_name(upload.name)
    media_type = sniffed(upload.content, upload.media_type, name)
    await files.add(request.caller.rows, found, name, media_type, len(upload.content), upload.content)
    return Answer.json(200, _file(found, name, len(upload.content)))


@routes.get("/files/{name}")
async def read_file(request: Request, name: str) -> Answered:
    found = await _stored(request, name)
    return Answer.json(200, _file(found.id, found.name, found.size))


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


def _file(found: FileId, name: str, size: int) -> dict[str, Any]:
    return {
        "id": file_id(found),
        "object": "file",
        "bytes": size,
        "created_at": 0,
        "filename": name,
        "purpose": "user_data",
        "status": "processed",
    }
