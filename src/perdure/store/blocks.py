"""The SQL beside the modules of `store.tables`: blocks, each of which begins with its name."""

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\S+)$", re.MULTILINE)


@cache
def blocks(table: str) -> dict[str, str]:
    """The blocks of `tables/<table>.sql` by name, such as `groups.rename`, in the order of the file."""
    text = files("perdure.store").joinpath("tables", f"{table}.sql").read_text(encoding="utf8")
    _, *pieces = _NAME.split(text)
    return {name: sql.strip() for name, sql in zip(pieces[::2], pieces[1::2], strict=True)}


def block(table: str, name: str) -> str:
    return blocks(table)[name]
