"""The content of a kept file, wherever it is."""

from urllib.parse import quote

from perdure.core.errors import Unavailable
from perdure.core.timing import DIRECT_URL_KEPT
from perdure.objects.client import ObjectClient
from perdure.store.tables.files import KeptFile
from perdure.store.tables.objects import StoredObject

# What a browser shows by itself inside a sandbox. Its viewer of PDFs needs more than that.
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})


def disposition(file: KeptFile) -> str:
    """Whether a browser shows it, and under which name it keeps it."""
    shown = "inline" if file.media_type in _SHOWN else "attachment"
    return f"{shown}; filename*=UTF-8''{quote(file.name, safe='')}"


class Contents:
    """Reads from the row, or from the object that it names."""

    def __init__(self, client: ObjectClient | None = None) -> None:
        self._client = client

    async def of(self, file: KeptFile) -> bytes:
        if file.content is not None:
            return file.content
        return await self._reached(file).get(_stored(file))

    def address(self, file: KeptFile) -> str | None:
        """Where a browser that may read it gets it without us, for a moment; None where it comes from here."""
        if file.content is not None:
            return None
        said = {"content-type": file.media_type, "content-disposition": disposition(file)}
        return self._reached(file).address(_stored(file), DIRECT_URL_KEPT, said)

    def _reached(self, file: KeptFile) -> ObjectClient:
        if self._client is None:
            raise Unavailable(f"{file.name} is in object storage, and PERDURE_S3_URL does not say where. Set it.")
        return self._client


def _stored(file: KeptFile) -> StoredObject:
    assert file.object_id is not None
    assert file.hash is not None
    return StoredObject(file.object_id, file.organisation_id, file.hash)
