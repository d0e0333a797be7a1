"""A query as a typed function: its signature says what goes in and what comes back, the block of its name is its SQL.

    @query
    async def rename(scope: OrganisationScope, group_id: GroupId, name: str) -> GroupRow | None: ...

The parameters after the first are $1, $2 and so on, after what the scope puts before them. One that is a struct stands
for its fields. `timeout` is the driver's, in seconds. What comes back is one row or none, exactly one, a list, nothing,
or how many rows were written; a row is a struct whose fields are columns, or a value that is the only column.

A test has Postgres prepare every query, and compares its parameters and columns with the signature.
"""

import inspect
import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, update_wrapper
from importlib.resources import files
from typing import Any, Generic, NewType, ParamSpec, TypeVar, cast, get_args

import asyncpg

from perdure.core.errors import InvalidInput
from perdure.store.errors import DRIVER_ERRORS, meaning
from perdure.store.row_readers import Reader, fields_of, optional, reader_of
from perdure.store.scopes import OrganisationScope, PersonScope

_NAME = re.compile(r"^-- name: (\S+)$", re.MULTILINE)


@cache
def blocks(table: str) -> dict[str, str]:
    """The blocks of `tables/<table>.sql` by name, such as `groups.rename`, in the order of the file."""
    text = files("perdure.store").joinpath("tables", f"{table}.sql").read_text(encoding="utf8")
    _, *pieces = _NAME.split(text)
    return {name: sql.strip() for name, sql in zip(pieces[::2], pieces[1::2], strict=True)}


def block(table: str, name: str) -> str:
    return blocks(table)[name]


P = ParamSpec("P")
R = TypeVar("R")

Written = NewType("Written", int)
"""How many rows a query wrote."""

_TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    hint: Any
    default: object
    fields: tuple[str, ...]
    """What it stands for, where it is a struct."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a query's function says of itself."""

    scope: Any
    parameters: tuple[Parameter, ...]
    returns: Any

    @property
    def result(self) -> Any:
        """What one row becomes; None where nothing comes back."""
        return get_args(self.returns)[0] if self.many else optional(self.returns)[0]

    @property
    def many(self) -> bool:
        return getattr(self.returns, "__origin__", None) is list

    @property
    def spread(self) -> bool:
        return any(parameter.fields for parameter in self.parameters)


class Query(Generic[P, R]):
    """A function whose body is SQL."""

    def __init__(self, function: Callable[P, Coroutine[Any, Any, R]]) -> None:
        self._function = function
        self.table = function.__module__.rpartition(".")[2]
        self.name = f"{self.table}.{function.__name__}"
        update_wrapper(self, function)

    @cached_property
    def sql(self) -> str:
        return block(self.table, self.name)

    @cached_property
    def signature(self) -> Signature:
        hints = inspect.get_annotations(self._function)
        returns = hints.pop("return")
        first, *others = inspect.signature(self._function).parameters.values()
        parameters = [
            Parameter(each.name, hints[each.name], each.default, fields_of(hints[each.name]))
            for each in others
            if each.name != _TIMEOUT
        ]
        return Signature(hints[first.name], tuple(parameters), returns)

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        db, values = self._bound(args, kwargs)
        try:
            timeout = cast("float | None", kwargs.get(_TIMEOUT))
            return await self._fetch(db, self.sql, values, timeout)
        except asyncpg.DataError as error:
            if self.signature.scope in (PersonScope, OrganisationScope):
                raise InvalidInput("Something in the request cannot be stored.") from error
            raise meaning(error) from error
        except DRIVER_ERRORS as error:
            raise meaning(error) from error

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """Where the query goes, and its values in order."""
        signature = self.signature
        scope, *values = args
        for parameter in signature.parameters[len(values) :]:
            values.append(kwargs.get(parameter.name, parameter.default))
        if signature.spread:
            values = _spread(signature.parameters, values)
        if signature.scope is PersonScope:
            return scope.db, [scope.user_id, scope.organisation_id, *values]
        if signature.scope is OrganisationScope:
            return scope.db, [scope.organisation_id, *values]
        return scope, values

    @cached_property
    def _fetch(self) -> "Callable[[Any, str, list[Any], float | None], Coroutine[Any, Any, Any]]":
        signature = self.signature
        if signature.returns is None:
            return _execute
        if signature.returns is Written:
            return _count
        read = reader_of(signature.result)
        if signature.many:
            return _many(read)
        return _one_or_none(read) if optional(signature.returns)[1] else _one(read)


def query(function: Callable[P, Coroutine[Any, Any, R]]) -> Query[P, R]:
    """Make a function of a module in `store.tables` ask the database with the SQL of its name."""
    return Query(function)


def _spread(parameters: Sequence[Parameter], values: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.fields:
            flat.extend(getattr(value, field) for field in parameter.fields)
        else:
            flat.append(value)
    return flat


async def _execute(db: Any, sql: str, values: list[Any], timeout: float | None) -> None:
    await db.execute(sql, *values, timeout=timeout)


async def _count(db: Any, sql: str, values: list[Any], timeout: float | None) -> Written:
    status: str = await db.execute(sql, *values, timeout=timeout)
    return Written(int(status.rpartition(" ")[2]))


def _many(read: Reader) -> Any:
    async def fetch(db: Any, sql: str, values: list[Any], timeout: float | None) -> list[Any]:
        return [read(row) for row in await db.fetch(sql, *values, timeout=timeout)]

    return fetch


def _one_or_none(read: Reader) -> Any:
    async def fetch(db: Any, sql: str, values: list[Any], timeout: float | None) -> Any:
        row = await db.fetchrow(sql, *values, timeout=timeout)
        return None if row is None else read(row)

    return fetch


def _one(read: Reader) -> Any:
    async def fetch(db: Any, sql: str, values: list[Any], timeout: float | None) -> Any:
        row = await db.fetchrow(sql, *values, timeout=timeout)
        assert row is not None, "a query that always finds a row found none"
        return read(row)

    return fetch
