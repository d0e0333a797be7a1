"""Who said or decided something: the person, and the name that they had then."""

from typing import Final
from uuid import UUID

from msgspec import Struct

from perdure.core.ids import UserId


class Author(Struct, frozen=True):
    id: UserId
    name: str = ""


NOBODY: Final = Author(UserId(UUID(int=0)))
"""Stands for the server itself."""
