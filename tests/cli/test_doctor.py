"""What the doctor looks at, and what it says about it."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Start
from tests.cli.pooler import pooled
from tests.config.keys import stored_key, stored_model

from perdure.access.keyring import Keyring
from perdure.cli.checks.database import model_findings, pooler, secrets
from perdure.cli.checks.finding import Verdict
from perdure.cli.checks.notices import notices
from perdure.config.config import KEY_PURPOSE
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.pool import Pool
from perdure.testing.nats import nats_server
from perdure.testing.postgres import Databases

OLD, NEW = "an old key of the deployment", "a new key of the deployment"


def _keys(folder: Path, *keys: str) -> Settings:
    return Settings(data_dir=folder, secret_key=keys)


@pytest.mark.parametrize(
    ("set_up", "verdict", "detail"),
    [
        ({}, Verdict.BAD, "it is in transaction mode and carries no notices"),
        ({"listen_url": "off"}, Verdict.BAD, "it is in transaction mode and does not keep prepared statements"),
        (
            {"listen_url": "off", "prepared_statements": False},
            Verdict.GOOD,
            "it is in transaction mode, and notices go past it",
        ),
    ],
)
async def test_a_pooler_in_transaction_mode_needs_to_be_provided_for(
    database_url: str, tmp_path: Path, set_up: dict[str, Any], verdict: Verdict, detail: str
) -> None:
    async with pooled(database_url) as url:
        connection = await connect(url)
        found = await pooler(connection, url, Settings(data_dir=tmp_path, **set_up))
        await connection.close()
    assert (found.verdict, found.detail) == (verdict, detail)


async def test_the_way_of_notices_past_a_pooler_is_tried(database_url: str, tmp_path: Path) -> None:
    async with pooled(database_url) as url:
        ways = {
            database_url: (Verdict.GOOD, "travel through the database at"),
            url: (Verdict.BAD, "it is a pooler in transaction mode"),
            "postgresql://127.0.0.1:1/nowhere": (Verdict.BAD, "cannot be reached"),
            "postgresql://127.0.0.1:99999/nowhere": (Verdict.BAD, "is not a number"),
        }
        for way, (verdict, detail) in ways.items():
            found = await notices(Settings(data_dir=tmp_path, listen_url=way))
            assert (found.verdict, detail in found.detail) == (verdict, True), found


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("{}", [(Verdict.GOOD, "1, and their options make sense")]),
        (
            '{"context_window": 0, "price": {"input": -1}, "top_k": 4}',
            [
                (Verdict.OFF, "m: context_window makes no sense: Expected `int` >= 1 - at `$.context_window`"),
                (Verdict.OFF, "m: price makes no sense: Expected `int` >= 0 - at `$.price.input`"),
            ],
        ),
        (
            '{"thinking": "hard"}',
            [(Verdict.OFF, "m: thinking makes no sense: is one of: none, effort, budget, adaptive")],
        ),
    ],
)
async def test_options_of_models_that_make_no_sense_are_told(
    pool: Pool, options: str, found: list[tuple[Verdict, str]]
) -> None:
    await stored_model(pool, options)
    async with pool.acquire() as connection:
        told = [finding async for finding in model_findings(connection)]
    assert [(each.verdict, each.detail) for each in told] == found


@pytest.mark.parametrize(
    ("keys", "verdict", "detail"),
    [
        ((OLD,), Verdict.GOOD, "1, encrypted with the newest key"),
        ((NEW, OLD), Verdict.OFF, "1 of 1 still need an old key"),
        ((NEW,), Verdict.BAD, "1 of 1 were encrypted with a key that is not known here"),
        ((), Verdict.BAD, "1 of 1 were encrypted with a key that is not known here"),
        (("short",), Verdict.BAD, "PERDURE_SECRET_KEY must have at least 16 characters."),
    ],
)
async def test_secrets_under_an_old_key_or_a_lost_one_are_found(
    pool: Pool, tmp_path: Path, keys: tuple[str, ...], verdict: Verdict, detail: str
) -> None:
    await stored_key(pool, Keyring.of([OLD]).seal("sk-something", KEY_PURPOSE))
    async with pool.acquire() as connection:
        found = await secrets(connection, _keys(tmp_path, *keys))
    assert (found.verdict, found.detail) == (verdict, detail)
    assert not tmp_path.joinpath("secret.key").exists(), "looking makes no key"


async def test_no_secrets_need_no_key(pool: Pool, tmp_path: Path) -> None:
    async with pool.acquire() as connection:
        assert (await secrets(connection, _keys(tmp_path))).detail == "none are stored"


async def test_a_nats_server_is_asked_and_its_password_is_not_shown(tmp_path: Path) -> None:
    async with nats_server() as server:
        found = await notices(Settings(data_dir=tmp_path, nats_url=server.url.replace("nats://", "nats://me:hush@")))
    assert found.verdict is Verdict.GOOD
    gone = await notices(Settings(data_dir=tmp_path, nats_url="nats://me:hush@127.0.0.1:9"))
    assert gone.verdict is Verdict.BAD
    assert gone.detail.startswith("NATS at 127.0.0.1:9 cannot be reached")
    assert "hush" not in found.detail + gone.detail
    assert (await notices(Settings(data_dir=tmp_path))).verdict is Verdict.GOOD


async def test_replicas_that_only_look_from_time_to_time_are_told_to_be_late(tmp_path: Path) -> None:
    found = await notices(Settings(data_dir=tmp_path, listen_url="off"))
    told = "nothing carries them: replicas look every 2 seconds, and are late by it"
    assert (found.verdict, found.detail) == (Verdict.OFF, told)


def test_the_report_names_a_nats_server_that_is_away(start: Start, database_url: str) -> None:
    doctor = start("doctor", database_url=database_url, nats_url="nats://127.0.0.1:9")
    report, _ = doctor.communicate()
    assert doctor.returncode == 1
    assert "✗ notices: NATS at 127.0.0.1:9 cannot be reached" in report
    assert "✓ secrets: none are stored" in report


async def test_a_database_that_is_still_empty_is_nothing_bad(start: Start, databases: Databases) -> None:
    async with databases.fresh(migrated=False) as url:
        doctor = start("doctor", database_url=url)
        report, _ = doctor.communicate()
    assert doctor.returncode == 0, report
    assert "! schema: the database is empty\n    perdure serve makes the schema when it starts.\n" in report
