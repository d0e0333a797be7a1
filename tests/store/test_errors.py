"""What the driver says, in our own words."""

import re
from pathlib import Path
from uuid import uuid4

import pytest

import perdure
from perdure.core.errors import Conflict, DatabaseFault, InvalidInput, Unavailable, Validation
from perdure.core.ids import OrganisationId
from perdure.store.errors import meaning, transaction, translated
from perdure.store.pool import Pool, open_pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import groups, organisations, watch


async def test_a_database_that_is_away_is_unavailable(database_url: str) -> None:
    async with open_pool(database_url) as pool:
        await pool.close()
        with pytest.raises(Unavailable, match="The database is away"):
            await watch.now(pool)
        with pytest.raises(Unavailable, match="The database is away"):
            async with transaction(pool):
                pass


AWAY = [
    "08006",
    "25P03",
    "25P04",
    "40001",
    "40P01",
    "53100",
    "53200",
    "53300",
    "53400",
    "55000",
    "55P03",
    "57014",
    "57P01",
    "57P02",
    "57P03",
    "57P04",
    "57P05",
    "58000",
    "58030",
]


@pytest.mark.parametrize("code", AWAY)
async def test_what_a_server_says_that_cannot_serve_now_is_no_fault_of_a_statement(pool: Pool, code: str) -> None:
    """Nothing is wrong with what was asked, and what is asked next is answered."""
    with pytest.raises(Unavailable, match="no room"), translated():
        await pool.execute(f"DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '{code}'; END $$")
    assert await watch.now(pool)


async def test_what_is_there_already_is_a_conflict_that_names_its_field(pool: Pool) -> None:
    scope = OrganisationScope(pool, await organisations.add(pool, "Ours"))
    await groups.add(scope, "Red")
    with pytest.raises(Conflict, match="There is a group of this name already") as caught:
        await groups.add(scope, "red")
    assert caught.value.validations == (Validation("name", "is taken"),)


async def test_what_cannot_be_stored_is_the_input_of_a_request_and_a_fault_of_ours_otherwise(pool: Pool) -> None:
    scope = OrganisationScope(pool, await organisations.add(pool, "Ours"))
    with pytest.raises(InvalidInput, match="cannot be stored"):
        await groups.add(scope, "a\0b")
    with pytest.raises(DatabaseFault):
        await organisations.add(pool, "a\0b")


async def test_a_statement_that_the_database_refuses_is_a_fault(pool: Pool) -> None:
    with pytest.raises(DatabaseFault, match="foreign key"):
        await groups.add(OrganisationScope(pool, OrganisationId(uuid4())), "Red")


async def add_in_vain(pool: Pool) -> None:
    async with transaction(pool) as connection:
        await organisations.add(connection, "Ours")
        raise ConnectionResetError


async def test_a_transaction_is_all_or_nothing_and_leaves_errors_of_its_block_alone(pool: Pool) -> None:
    with pytest.raises(ConnectionResetError):
        await add_in_vain(pool)
    assert await organisations.every(pool) == []
    async with transaction(pool) as connection:
        added = await organisations.add(connection, "Ours")
        async with transaction(connection) as inner:
            assert await organisations.every(inner) == [added]
    assert await organisations.every(pool) == [added]


def test_what_has_no_words_is_told_by_its_name() -> None:
    assert str(meaning(TimeoutError())) == "The database is away: TimeoutError"


def test_a_log_or_an_answer_never_ends_where_the_reason_should_be() -> None:
    # An exception is true, also one that says nothing.
    source = Path(perdure.__file__).parent
    empty = re.compile(r"[^(.\w]error or type\(error\)")
    assert [path.name for path in source.rglob("*.py") if empty.search(path.read_text())] == []
