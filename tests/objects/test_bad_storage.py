"""What is wrong with the storage is said in one sentence that names the thing and the remedy, and costs no file."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from tests.objects.conftest import Keep, kept_file, large, mover

from perdure.cli.checks.finding import Verdict
from perdure.cli.checks.objects import placement, storage
from perdure.core.errors import Misconfigured, Unavailable
from perdure.core.ids import OrganisationId
from perdure.objects.bucket import Bucket
from perdure.objects.client import ObjectClient
from perdure.objects.contents import Contents
from perdure.objects.failures import ObjectLost, StorageAway, refusal
from perdure.objects.signing import Keys
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.pool import Pool
from perdure.store.tables.objects import StoredObject
from perdure.testing.object_server import KEYS, ObjectServer

AT = Bucket.parse("https://s3.test/box/files", "eu-north-1")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
Answer = Callable[[web.Request], Awaitable[web.Response]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncGenerator[str]:
    """A server that answers every request in one way; the result is where."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


REFUSALS = [
    ("PUT", 404, "NoSuchBucket", "There is no bucket 'box' at s3.test. Create it, or correct PERDURE_S3_URL."),
    ("LIST", 404, "", "There is no bucket 'box' at s3.test. Create it, or correct PERDURE_S3_URL."),
    (
        "PUT",
        403,
        "AccessDenied",
        "The bucket 'box' at s3.test may not be written with these credentials (AccessDenied). Allow s3:PutObject.",
    ),
    (
        "DELETE",
        403,
        "AccessDenied",
        (
            "The bucket 'box' at s3.test may not be removed from with these credentials (AccessDenied). "
            "Allow s3:DeleteObject."
        ),
    ),
    (
        "GET",
        400,
        "ExpiredToken",
        "The credentials for the bucket 'box' at s3.test have expired. Set new ones in PERDURE_S3_KEY and restart.",
    ),
    (
        "GET",
        403,
        "SignatureDoesNotMatch",
        (
            "The credentials for the bucket 'box' at s3.test are not accepted (SignatureDoesNotMatch). "
            "Correct PERDURE_S3_KEY or PERDURE_S3_REGION."
        ),
    ),
    (
        "PUT",
        301,
        "PermanentRedirect",
        "The bucket 'box' at s3.test is in another region than eu-north-1. Set PERDURE_S3_REGION to eu-west-3.",
    ),
]


@pytest.mark.parametrize(("operation", "status", "code", "sentence"), REFUSALS)
def test_a_refusal_is_a_sentence_that_names_the_thing_and_the_remedy(
    operation: str, status: int, code: str, sentence: str
) -> None:
    body = f"<Error><Code>{code}</Code><Region>eu-west-3</Region></Error>".encode() if code else b""
    error = refusal(AT, operation, status, {"date": format_datetime(NOW, usegmt=True)}, body, NOW)
    assert isinstance(error, StorageAway)
    assert (str(error), error.lasting) == (sentence, True)


@pytest.mark.parametrize("code", ["RequestTimeTooSkewed", "AccessDenied", "SignatureDoesNotMatch"])
def test_a_clock_that_is_off_is_named_whatever_the_server_calls_it(code: str) -> None:
    body = f"<Error><Code>{code}</Code></Error>".encode()
    said = {"date": format_datetime(NOW - timedelta(minutes=20), usegmt=True)}
    error = refusal(AT, "PUT", 403, said, body, NOW)
    assert str(error) == "The clock of this machine and that of s3.test are apart, by 1200 s. Set it by NTP."


@pytest.mark.parametrize(("status", "code"), [(500, "InternalError"), (503, "SlowDown"), (502, ""), (429, "")])
def test_what_may_go_better_in_a_moment_is_no_lasting_refusal(status: int, code: str) -> None:
    error = refusal(AT, "PUT", status, {}, f"<Error><Code>{code}</Code></Error>".encode() if code else b"", NOW)
    assert isinstance(error, StorageAway)
    assert not error.lasting


@given(st.integers(300, 599), st.binary(max_size=300), st.dictionaries(st.sampled_from(["date", "x"]), st.text()))
def test_every_answer_means_something(status: int, body: bytes, said: dict[str, str]) -> None:
    error = refusal(AT, "PUT", status, said, body, NOW)
    assert isinstance(error, StorageAway | ObjectLost)
    assert "\n" not in str(error)


async def test_a_bucket_that_is_not_there(server: ObjectServer) -> None:
    client = server.client(url=f"{server.endpoint}/another-one")
    with pytest.raises(StorageAway, match=r"^There is no bucket 'another-one' at .*\. Create it"):
        await client.check()
    await client.close()


async def test_a_check_leaves_nothing_behind(server: ObjectServer, client: ObjectClient) -> None:
    await client.check()
    assert await server.keys() == []


@pytest.mark.parametrize(
    ("allowed", "right"),
    [({"LIST", "GET"}, "s3:PutObject"), ({"GET", "PUT"}, "s3:ListBucket"), ({"LIST", "GET", "PUT"}, "s3:DeleteObject")],
)
async def test_each_right_that_is_missing_is_named(allowed: set[str], right: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        await request.read()
        operation = "LIST" if "list-type" in request.query else request.method
        if operation not in allowed:
            return web.Response(status=403, text="<Error><Code>AccessDenied</Code></Error>")
        return web.Response(text="<ListBucketResult></ListBucketResult>")

    async with serving(answer) as url:
        found = await storage(Settings(data_dir=Path("/nowhere"), s3_url=f"{url}/box", s3_key=KEYS))
    assert (found.verdict, found.remedy) == (Verdict.BAD, f"Allow {right}.")


async def test_what_answers_and_is_no_s3_is_said_to_be_none() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html>Hello</html>")

    async with serving(page) as url:
        found = await storage(Settings(data_dir=Path("/nowhere"), s3_url=f"{url}/box", s3_key=KEYS))
    assert (found.verdict, found.remedy) == (Verdict.BAD, "Check PERDURE_S3_URL.")
    assert found.detail.endswith("is no S3")


async def test_the_doctor_tells_a_working_storage_from_one_that_is_away(server: ObjectServer) -> None:
    settings = Settings(data_dir=Path("/nowhere"), s3_url=server.url, s3_key=KEYS)
    assert (await storage(settings)).verdict is Verdict.GOOD
    await server.dies()
    found = await storage(settings)
    assert (found.verdict, "cannot be reached" in found.detail) == (Verdict.BAD, True)
    assert (await storage(Settings(data_dir=Path("/nowhere")))).detail == "in Postgres"


async def test_files_that_nothing_leads_to_are_noticed(
    database_url: str, pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    set_up = Settings(data_dir=Path("/nowhere"), s3_url=server.url, s3_key=KEYS, s3_from=1000)
    connection = await connect(database_url)
    try:
        await keep(large())
        assert (await placement(connection, set_up)).verdict is Verdict.OFF
        await mover(pool, client).move()
        assert (await placement(connection, set_up)).verdict is Verdict.GOOD
        assert (await placement(connection, Settings(data_dir=Path("/nowhere")))).verdict is Verdict.BAD
    finally:
        await connection.close()


@pytest.mark.parametrize("text", ["ftp://x/y", "https://id:secret@host/box", "https://host/box?x=1"])
def test_an_address_that_is_none_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(
        Misconfigured, match="PERDURE_S3_URL is not usable: it must be s3://bucket or https://host/bucket"
    ):
        Settings.from_environment({"PERDURE_S3_URL": text})


@pytest.mark.parametrize("text", ["https://host", "https://host/", "s3://", "https://host/UPPER", "https://host/a"])
def test_an_address_without_a_bucket_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(Misconfigured, match="names no bucket"):
        Bucket.parse(text, "us-east-1")


@pytest.mark.parametrize("text", ["", "id", "id:", ":secret", "id:secret:"])
def test_keys_that_are_none_are_refused_at_the_start(text: str) -> None:
    with pytest.raises(Misconfigured, match="PERDURE_S3_KEY is not usable"):
        Keys.parse(text)


@given(st.uuids(), st.binary(min_size=32, max_size=32), st.integers(1, 2**63 - 1), st.sampled_from(["", "/a", "/a/b"]))
def test_the_name_of_an_object_says_which_one_it_is(
    organisation: object, content: bytes, number: int, path: str
) -> None:
    bucket = Bucket.parse(f"https://host/box{path}", "x")
    stored = StoredObject(number, OrganisationId(organisation), content)  # pyright: ignore[reportArgumentType]
    assert bucket.object_of(bucket.key(stored)) == stored


@given(st.text())
def test_names_that_are_not_ours_are_nobodys(key: str) -> None:
    assert AT.object_of(key) is None


async def test_a_file_whose_storage_is_not_set_up_says_so(pool: Pool, client: ObjectClient, keep: Keep) -> None:
    file_id = await keep(large())
    await mover(pool, client).move()
    with pytest.raises(
        Unavailable, match=r"a\.txt is in object storage, and PERDURE_S3_URL does not say where\. Set it\."
    ):
        await Contents().of(await kept_file(pool, file_id))
