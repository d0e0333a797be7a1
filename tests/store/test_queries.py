"""Every query is a statement that the migrated schema understands, and says truly what goes in and what comes back."""

import pkgutil
import re
from collections.abc import Callable, Coroutine, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints
from uuid import UUID

import asyncpg
import pytest
from asyncpg import Record
from asyncpg.prepared_stmt import PreparedStatement
from msgspec import Struct

import perdure
from perdure.core.chat import Chat
from perdure.core.ids import UserId
from perdure.store import tables
from perdure.store.pool import Pool
from perdure.store.query import Query, Signature, Written, blocks
from perdure.store.row_readers import columns_of, fields_of, optional
from perdure.store.scopes import Database, OrganisationScope, PersonScope

TABLES = [module.name for module in pkgutil.iter_modules(tables.__path__)]
MODULES = [import_module(f"perdure.store.tables.{name}") for name in TABLES]
QUERIES: dict[str, Query[..., Any]] = {
    query.name: query for module in MODULES for query in vars(module).values() if isinstance(query, Query)
}

# What the driver makes of a type of Postgres.
PYTHON: dict[str, type] = {
    "bool": bool,
    "bytea": bytes,
    "date": date,
    "float4": float,
    "float8": float,
    "int2": int,
    "int4": int,
    "int8": int,
    "interval": timedelta,
    "jsonb": str,
    "numeric": Decimal,
    "text": str,
    "timestamptz": datetime,
    "uuid": UUID,
}
SOURCE = Path(perdure.__file__).parent
CHAT = list(Chat.__struct_fields__)
BEFORE: dict[object, list[object]] = {PersonScope: [UUID, UUID], OrganisationScope: [UUID]}


def plain(hint: Any) -> object:
    """A type as the driver knows it: without its name, its None, and what a text stands for."""
    kind, _ = optional(hint)
    while hasattr(kind, "__supertype__"):
        kind = kind.__supertype__
    if isinstance(kind, type) and issubclass(kind, Enum):
        return str
    if get_origin(kind) is not None:
        return [plain(get_args(kind)[0])]
    return cast("object", kind)


def of_postgres(kind: asyncpg.Type) -> object:
    name = kind.name.removesuffix("[]")
    known = PYTHON.get(name, name)
    return [known] if kind.name.endswith("[]") else known


def parameters(signature: Signature) -> Iterator[object]:
    yield from BEFORE.get(signature.scope, [])
    for parameter in signature.parameters:
        hints = get_type_hints(parameter.hint) if parameter.fields else {}
        yield from (plain(hints[field]) for field in parameter.fields)
        if not parameter.fields:
            yield plain(parameter.hint)


def disagreements(query: Query[..., Any], statement: "PreparedStatement[Any]") -> Iterator[str]:
    """Where a query's signature and its SQL say different things."""
    signature = query.signature
    wanted, given = [of_postgres(each) for each in statement.get_parameters()], list(parameters(signature))
    if wanted != given:
        yield f"takes {wanted}, gets {given}"
    found = {column.name: of_postgres(column.type) for column in statement.get_attributes()}
    if signature.returns in (None, Written):
        if found and "void" not in found.values():
            yield f"brings {found}, which nobody reads"
    elif signature.result is Record:
        # Several things at once, which modules of the store read themselves; a chat by the place of its fields.
        if query.table == "execution" and list(found)[: len(CHAT)] != CHAT:
            yield f"begins with {list(found)}, and not with a chat"
    elif fields_of(signature.result):
        read = {name: plain(hint) for name, hint in columns_of(signature.result).items()}
        if {name: found.get(name) for name in read} != read:
            yield f"brings {found}, read as {read}"
        if not set(found) <= set(read) and ".*" not in query.sql and "SELECT *" not in query.sql:
            yield f"brings {set(found) - set(read)}, which nobody reads"
    elif list(found.values()) != [plain(signature.result)]:
        yield f"brings {found}, read as {signature.result}"


async def test_every_query_says_truly_what_goes_in_and_what_comes_back(pool: Pool) -> None:
    wrong: dict[str, list[str]] = {}
    async with pool.acquire() as connection:
        for name, query in QUERIES.items():
            try:
                found = list(disagreements(query, await connection.prepare(query.sql)))
            except (asyncpg.PostgresError, KeyError) as error:
                found = [repr(error)]
            if found:
                wrong[name] = found
    assert wrong == {}
    assert QUERIES


class OnlyId(Struct, frozen=True):
    id: UserId


class NumberedId(Struct, frozen=True):
    id: int


async def takes_a_text(db: Database, user_id: str) -> UserId | None: ...
async def reads_a_number(db: Database) -> list[NumberedId]: ...
async def reads_half(db: Database) -> list[OnlyId]: ...
async def reads_nothing(db: Database) -> None: ...
async def reads_as_it_is(db: Database, user_id: UserId) -> OnlyId | None: ...


@pytest.mark.parametrize(
    ("function", "sql", "said"),
    [
        (takes_a_text, "SELECT id FROM users WHERE id = $1", ["takes"]),
        (reads_a_number, "SELECT id FROM users", ["brings"]),
        (reads_half, "SELECT id, email FROM users", ["brings {'email'}, which nobody reads"]),
        (reads_nothing, "SELECT id FROM users", ["brings"]),
        (reads_as_it_is, "SELECT id FROM users WHERE id = $1", []),
    ],
)
async def test_a_signature_that_says_something_else_is_noticed(
    pool: Pool, function: Callable[..., Coroutine[Any, Any, Any]], sql: str, said: list[str]
) -> None:
    query = Query(function)
    query.__dict__["sql"] = sql
    async with pool.acquire() as connection:
        found = list(disagreements(query, await connection.prepare(sql)))
    assert len(found) == len(said)
    assert all(each.startswith(start) for each, start in zip(found, said, strict=True))


def test_every_block_of_sql_is_a_function_of_the_same_name() -> None:
    assert {name for table in TABLES for name in blocks(table)} == set(QUERIES)


def test_every_query_is_found_by_its_name_where_it_is_asked() -> None:
    """A plain search for `users.first_owner` finds its SQL and who asks, or for its import where it is asked alone."""
    above = [path.read_text() for path in SOURCE.rglob("*.py") if path.parent.name != "tables"]
    text = "\n".join(above)
    assert [name for name in QUERIES if not asked(name, text)] == []


def asked(name: str, text: str) -> bool:
    table, function = name.split(".")
    alone = rf"from perdure\.store\.tables\.{table} import [^\n]*\b{function}\b"
    return re.search(rf"\b{table}\.{function}\b", text) is not None or re.search(alone, text) is not None


def test_the_first_line_of_every_query_says_what_it_is_for() -> None:
    assert [name for name, query in QUERIES.items() if not query.sql.startswith("-- ")] == []


def test_execution_state_is_written_by_the_machine_alone() -> None:
    """Beside the statement of a change there is the archive of a family, and what is forgotten as a whole."""
    writes = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+(chats|messages|queued_messages)\b")
    assert {name for name, query in QUERIES.items() if writes.search(query.sql)} == {
        "execution.archive_family",
        "chats.delete",
        "chats.forget_archived",
        "messages.forget_removed",
    }


def test_no_query_knows_how_json_is_written_down() -> None:
    assert [name for name, query in QUERIES.items() if re.search(r"LIKE '[^']*\"", query.sql)] == []
