"""The few requests of S3 that are needed: put, get, remove, list. It never repeats one."""

import asyncio
import hashlib
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import timedelta
from html import unescape
from urllib.parse import quote, urlencode
from uuid import uuid4

import aiohttp
from yarl import URL

from perdure.core.timing import OBJECT_PATIENCE, Clock
from perdure.objects.bucket import Bucket
from perdure.objects.failures import ObjectLost, StorageAway, refusal, unreachable
from perdure.objects.signing import Signer
from perdure.observe.measures.service import ObjectMeasures
from perdure.store.tables.objects import StoredObject

PAGE = 1000
_ANSWERS = {"PUT": (200, 201, 204), "GET": (200,), "LIST": (200,), "DELETE": (200, 202, 204, 404)}
_KEY = re.compile(r"<Key>([^<]+)</Key>")
_TOKEN = re.compile(r"<NextContinuationToken>([^<]+)</NextContinuationToken>")
_PROBE = b"perdure looks whether it can write here"


class ObjectClient:
    """A bucket. Whatever goes wrong with it is raised as `StorageAway`, in one sentence with the remedy."""

    def __init__(
        self,
        bucket: Bucket,
        signer: Signer,
        clock: Clock,
        measures: ObjectMeasures,
        *,
        proxy: Callable[[str], str | None] = lambda _: None,
        trusted: ssl.SSLContext | None = None,
        public: str | None = None,
    ) -> None:
        self.bucket = bucket
        self.measures = measures
        self._signer = signer
        self._clock = clock
        self._proxy = proxy
        self._trusted = trusted
        self._public = public
        self._http: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def put(self, stored: StoredObject, content: bytes) -> None:
        await self._asked("PUT", self.bucket.key(stored), content)

    async def get(self, stored: StoredObject) -> bytes:
        content = await self._asked("GET", self.bucket.key(stored))
        if hashlib.sha256(content).digest() != stored.hash:
            raise ObjectLost(f"{self.bucket} has other bytes than were put there. Restore the object from its backup.")
        return content

    async def remove(self, stored: StoredObject) -> None:
        """Remove it, or see that it is gone."""
        await self._asked("DELETE", self.bucket.key(stored))

    async def listed(self) -> AsyncIterator[list[str]]:
        """The names of all objects below the prefix, page by page."""
        token: str | None = None
        while True:
            query = {"list-type": "2", "prefix": self.bucket.prefix, "max-keys": str(PAGE)}
            if token is not None:
                query["continuation-token"] = token
            keys, token = _page(await self._asked("LIST", "", query=query), self.bucket)
            yield keys
            if token is None:
                return

    async def check(self) -> None:
        """Do once what is ever done with the bucket, and leave nothing behind."""
        key = f"{self.bucket.prefix}perdure-probe-{uuid4().hex}"
        _page(await self._asked("LIST", "", query={"list-type": "2", "prefix": key, "max-keys": "1"}), self.bucket)
        await self._asked("PUT", key, _PROBE)
        try:
            found = await self._asked("GET", key)
        finally:
            await self._asked("DELETE", key)
        if found != _PROBE:
            raise StorageAway(f"{self.bucket} gives back other bytes than it is given. Check it.", lasting=True)

    def address(self, stored: StoredObject, kept: timedelta, said: Mapping[str, str]) -> str | None:
        """An address that leads browsers there, and has it say this of itself; None where no address does."""
        base = self.bucket.base if self._public is None and self.bucket.secure else self._public
        if not base:
            return None
        query = urlencode({f"response-{name}": value for name, value in said.items()}, quote_via=quote)
        return self._signer.url(f"{self.bucket.address(self.bucket.key(stored), base)}?{query}", kept)

    async def _asked(
        self, operation: str, key: str, body: bytes = b"", query: Mapping[str, str] | None = None
    ) -> bytes:
        started = self._clock.monotonic()
        outcome = "failed"
        try:
            async with asyncio.timeout(OBJECT_PATIENCE.total_seconds()):
                content = await self._answer(operation, key, body, query)
            outcome = "done"
            return content
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise unreachable(self.bucket, error) from error
        finally:
            self.measures.asked(operation.lower(), outcome, self._clock.monotonic() - started)

    async def _answer(self, operation: str, key: str, body: bytes, query: Mapping[str, str] | None) -> bytes:
        method = "GET" if operation == "LIST" else operation
        url = self.bucket.address(key) + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        # To hash ten megabytes takes a while, and to look for credentials may ask a service.
        headers = await asyncio.to_thread(self._signer.headers, method, url, body)
        async with self._session().request(
            method,
            URL(url, encoded=True),
            data=body or None,
            headers=headers,
            proxy=self._proxy(url),
            allow_redirects=False,
        ) as response:
            content = await response.read()
            if response.status in _ANSWERS[operation] and b"<Code>NoSuchBucket</Code>" not in content[:1000]:
                return content
            said = {name.lower(): value for name, value in response.headers.items()}
            raise refusal(self.bucket, operation, response.status, said, content[:4096], self._clock.now())

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None:
            connector = aiohttp.TCPConnector(limit=32, ssl=self._trusted or True)
            self._http = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"user-agent": "perdure"},
                auto_decompress=False,
                skip_auto_headers=("content-type", "accept-encoding"),
            )
        return self._http


def _page(content: bytes, bucket: Bucket) -> tuple[list[str], str | None]:
    """What a list names, and where it goes on."""
    text = content.decode(errors="replace")
    if "<ListBucketResult" not in text:
        raise StorageAway(f"What answers at {bucket.host} is no S3. Check PERDURE_S3_URL.", lasting=True)
    token = _TOKEN.search(text)
    return [unescape(key) for key in _KEY.findall(text)], unescape(token[1]) if token else None
