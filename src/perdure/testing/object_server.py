"""Real servers that speak S3 on a loopback port, which a test may stop, hang and start again."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from perdure.core.timing import SystemClock
from perdure.objects.bucket import Bucket
from perdure.objects.client import ObjectClient
from perdure.objects.signing import Keys, Signer
from perdure.observe.measures.all import Measures
from perdure.testing.ports import free_port
from perdure.testing.server_process import ServerProcess

MOTO = Path(sys.executable).with_name("moto_server")
STARTING = 60
REGION = "us-east-1"
KEYS = "test-id:test-secret"
BUCKET = "perdure-files"


class ObjectServer(ServerProcess):
    """One server process. moto keeps everything in memory: it may hang, and has nothing any more when it dies."""

    def __init__(self, program: tuple[str, ...], port: int) -> None:
        self._program = program
        self.endpoint = f"http://127.0.0.1:{port}"
        self.url = f"{self.endpoint}/{BUCKET}/files"

    @property
    def environment(self) -> dict[str, str]:
        """What a replica is told of it."""
        return {
            "PERDURE_S3_URL": self.url,
            "PERDURE_S3_KEY": KEYS,
            "PERDURE_S3_PUBLIC_URL": f"{self.endpoint}/{BUCKET}",
        }

    def client(
        self, *, url: str | None = None, keys: str = KEYS, public: str | None = None, measures: Measures | None = None
    ) -> ObjectClient:
        signer = Signer(REGION, Keys.parse(keys))
        bucket = Bucket.parse(url or self.url, REGION)
        return ObjectClient(bucket, signer, SystemClock(), (measures or Measures()).objects, public=public)

    async def starts(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self._program, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(STARTING), aiohttp.ClientSession() as http:
            while not await _answers(http, self.endpoint):
                assert self.process.returncode is None
                await asyncio.sleep(0.05)

    async def makes_bucket(self, name: str = BUCKET) -> None:
        url = f"{self.endpoint}/{name}"
        headers = Signer(REGION, Keys.parse(KEYS)).headers("PUT", url, b"")
        async with aiohttp.ClientSession() as http, http.put(url, headers=headers) as answer:
            assert answer.status == 200, await answer.text()

    async def keys(self) -> list[str]:
        """What is in the bucket."""
        client = self.client()
        try:
            return [key async for page in client.listed() for key in page]
        finally:
            await client.close()


async def _answers(http: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with http.get(url):
            return True
    except aiohttp.ClientError:
        return False


@asynccontextmanager
async def running(program: tuple[str, ...], port: int) -> AsyncGenerator[ObjectServer]:
    server = ObjectServer(program, port)
    try:
        await server.starts()
        await server.makes_bucket()
        yield server
    finally:
        await server.dies()


@asynccontextmanager
async def object_server() -> AsyncGenerator[ObjectServer]:
    """moto, with an empty bucket."""
    port = free_port()
    async with running((str(MOTO), "-H", "127.0.0.1", "-p", str(port)), port) as server:
        yield server


@asynccontextmanager
async def versity_server(program: Path, folder: Path, *, readonly: bool = False) -> AsyncGenerator[ObjectServer]:
    """The program versitygw over a folder, with an empty bucket. It keeps what it has when it dies."""
    port, (access, secret) = free_port(), KEYS.split(":")
    listening = ("--port", f"127.0.0.1:{port}", "--access", access, "--secret", secret, "--region", REGION)
    limits = ("--readonly",) if readonly else ()
    async with running((str(program), *listening, *limits, "posix", str(folder)), port) as server:
        yield server
