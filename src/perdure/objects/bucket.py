"""Where objects are: a bucket at an endpoint, and the name of each object in it."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlsplit
from uuid import UUID

from perdure.core.errors import Misconfigured
from perdure.core.ids import OrganisationId
from perdure.store.tables.objects import StoredObject

_NAME = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9a-f]{64})\.([0-9a-f]{1,16})")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Bucket:
    """`base` is the address of the bucket, without a slash at its end."""

    name: str
    base: str
    region: str
    prefix: str = ""

    @classmethod
    def parse(cls, url: str, region: str) -> Self:
        """`s3://bucket/prefix` at Amazon, `https://host/bucket/prefix` anywhere else."""
        parts = urlsplit(url)
        if parts.scheme == "s3":
            name, path = parts.netloc, parts.path
            # The certificate of Amazon covers no name with a dot in it.
            host = f"s3.{region}.amazonaws.com"
            base = f"https://{host}/{name}" if "." in name else f"https://{name}.{host}"
        else:
            name, _, path = parts.path.strip("/").partition("/")
            base = f"{parts.scheme}://{parts.netloc}/{name}"
        if not _BUCKET.fullmatch(name):
            raise Misconfigured(
                f"PERDURE_S3_URL names no bucket: {name!r} is none. Write s3://bucket or https://host/bucket."
            )
        prefix = path.strip("/")
        return cls(name, base, region, f"{prefix}/" if prefix else "")

    @property
    def host(self) -> str:
        return urlsplit(self.base).netloc

    @property
    def secure(self) -> bool:
        return self.base.startswith("https://")

    def __str__(self) -> str:
        return f"the bucket {self.name!r} at {self.host}"

    def key(self, stored: StoredObject) -> str:
        return f"{self.prefix}{stored.organisation_id}/{stored.hash.hex()}.{stored.id:x}"

    def address(self, key: str, base: str | None = None) -> str:
        return f"{base or self.base}/{quote(key)}"

    def object_of(self, key: str) -> StoredObject | None:
        """What an object's name says. What is not named as ours are is not ours."""
        match = _NAME.fullmatch(key.removeprefix(self.prefix)) if key.startswith(self.prefix) else None
        return (
            StoredObject(int(match[3], 16), OrganisationId(UUID(match[1])), bytes.fromhex(match[2])) if match else None
        )
