"""The SQL files, read once each."""

from functools import cache
from importlib.resources import files


@cache
def query(name: str) -> str:
    """The text of `sql/<name>.sql`, such as `chats/load`."""
    return files("perdure.store").joinpath("sql", f"{name}.sql").read_text(encoding="utf8")
