"""Where the bytes of files are: whether object storage does all that is asked of it."""

import time

from perdure.app.foundation import outside_network
from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.errors import Misconfigured
from perdure.core.timing import SystemClock
from perdure.objects.client import ObjectClient
from perdure.objects.failures import StorageAway
from perdure.objects.opening import object_client
from perdure.observe.measures.all import Measures
from perdure.settings import Settings
from perdure.store.connection import Connection
from perdure.store.tables import objects

_UNSET = "Set PERDURE_S3_URL as it was, or bring them back: perdure migrate-files --back"


async def storage(settings: Settings) -> Finding:
    """List, write, read and remove something there."""
    try:
        network = outside_network(settings)
        clock, measures = SystemClock(), Measures().objects
        client = object_client(settings, clock, measures, proxy=network.proxy, trusted=network.trusted)
    except Misconfigured as error:
        return bad("files", str(error), "")
    if client is None:
        return good("files", "in Postgres")
    return await _tried(client)


async def _tried(client: ObjectClient) -> Finding:
    started = time.perf_counter()
    try:
        await client.check()
    except StorageAway as failure:
        sentence, _, remedy = str(failure).partition(". ")
        return bad("files", sentence, remedy)
    finally:
        await client.close()
    milliseconds = (time.perf_counter() - started) * 1000
    return good("files", f"in {client.bucket}; listing, writing, reading and removing took {milliseconds:.0f} ms")


async def placement(connection: Connection, settings: Settings) -> Finding:
    """Which files are where."""
    held = await objects.held(connection)
    if settings.s3_url is None:
        if held.files:
            return bad("file contents", f"{held.files} are in object storage, and nothing says where it is", _UNSET)
        return good("file contents", "all in Postgres")
    there = f"{held.files} in object storage ({held.bytes // 2**20} MiB)"
    waiting = await objects.waiting(connection, settings.s3_from) if settings.s3_from else objects.Amount(0, 0)
    if waiting.files:
        detail = f"{there}, {waiting.files} wait in Postgres ({waiting.bytes // 2**20} MiB)"
        return off("file contents", detail, "Replicas move them; or at once: perdure migrate-files")
    return good("file contents", there)
