"""Files in object storage, as those see them who use the API: signed addresses lead there, and rights hold."""

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, quote, urlsplit

import aiohttp
import pytest
from tests.objects.conftest import large, mover

from perdure.objects.client import ObjectClient
from perdure.store.pool import Pool
from perdure.testing.object_server import BUCKET, KEYS, ObjectServer
from perdure.testing.served_api import Person, ServedApi, serve_api


@pytest.fixture
async def api(database_url: str, pool: Pool, server: ObjectServer) -> AsyncIterator[ServedApi]:
    chosen = {"s3_url": server.url, "s3_key": KEYS, "s3_public_url": f"{server.endpoint}/{BUCKET}"}
    async with serve_api(database_url, pool, **chosen) as api:
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as person:
        yield person


async def stored(ada: Person, pool: Pool, client: ObjectClient, content: bytes, name: str) -> str:
    answer = await ada.ask("POST", "/files", content, x_file_name=name)
    assert answer.status == 201, answer.body
    assert await mover(pool, client).move() == 1
    return answer.json["id"]


@pytest.mark.parametrize(
    ("content", "name", "kind", "shown"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 2000, "a b.png", "image/png", "inline; filename*=UTF-8''a%20b.png"),
        (b"%PDF-1.7" + b"x" * 2000, "ä.pdf", "application/pdf", "attachment; filename*=UTF-8''%C3%A4.pdf"),
    ],
)
async def test_a_signed_address_leads_there_with_the_type_and_the_name_that_it_has_here(
    ada: Person, pool: Pool, client: ObjectClient, content: bytes, name: str, kind: str, shown: str
) -> None:
    file_id = await stored(ada, pool, client, content, quote(name))
    signed = (await ada.get(f"/files/{file_id}/url")).json["url"].removeprefix("/api/v1")
    led = await ada.get(signed)
    assert (led.status, led.headers["cache-control"], led.body) == (303, "no-store", b"")
    query = parse_qs(urlsplit(led.headers["location"]).query)
    assert query["X-Amz-Expires"] == ["60"]
    async with aiohttp.ClientSession() as http, http.get(led.headers["location"]) as there:
        assert (there.status, await there.read()) == (200, content)
        assert (there.headers["content-type"], there.headers["content-disposition"]) == (kind, shown)
    direct = await ada.get(f"/files/{file_id}")
    assert (direct.status, direct.body, direct.headers["content-type"]) == (200, content, kind)
    assert direct.headers["content-disposition"] == shown


async def test_an_address_for_somebody_who_may_not_read_it_any_more_leads_nowhere(
    api: ServedApi, ada: Person, pool: Pool, client: ObjectClient
) -> None:
    file_id = await stored(ada, pool, client, b"\x89PNG\r\n\x1a\n" + large(), "a.png")
    signed = (await ada.get(f"/files/{file_id}/url")).json["url"].removeprefix("/api/v1")
    async with await api.person("eve") as eve:
        assert (await eve.get(f"/files/{file_id}")).status == 404
        assert (await eve.get(f"/files/{file_id}/url")).status == 404
    await pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
    assert (await ada.get(signed)).status == 404


async def test_storage_that_is_away_is_said_to_be_and_new_files_are_taken(
    ada: Person, pool: Pool, client: ObjectClient, server: ObjectServer
) -> None:
    file_id = await stored(ada, pool, client, b"\x89PNG\r\n\x1a\n" + large(), "a.png")
    await server.dies()
    refused = await ada.get(f"/files/{file_id}")
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert refused.json["message"].endswith("Check PERDURE_S3_URL and the network.")
    new = await ada.ask("POST", "/files", b"a" * 5000, x_file_name="a.txt")
    assert new.status == 201
    assert (await ada.get(f"/files/{new.json['id']}")).body == b"a" * 5000


async def test_the_openai_face_reads_the_same_file(ada: Person, pool: Pool, client: ObjectClient) -> None:
    content = b"\x89PNG\r\n\x1a\n" + large()
    file_id = await stored(ada, pool, client, content, "a.png")
    headers = {"authorization": f"Bearer {ada.token}"}
    address = f"{ada.url}/v1/files/{file_id}"
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.get(address) as described:
            assert (await described.json())["bytes"] == len(content)
        async with http.get(f"{address}/content") as read:
            assert await read.read() == content
