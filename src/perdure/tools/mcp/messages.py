"""What we and a server tell each other, in types of our own: only `protocol` knows those of the package."""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool as its server describes it."""

    name: str
    description: str = ""
    schema: Any = None
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    """Only where the server says so; the protocol's own default would make every tool suspect."""
    only_as_task: bool = False
    """Whether it runs only as a task of the protocol, which we do not speak."""


class Image(Struct, frozen=True):
    media_type: str
    data: bytes


class CallResult(Struct, frozen=True, kw_only=True):
    """What a call came to."""

    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


class Unreachable(Exception):
    """The server cannot be talked to. The text says why, in words for a person; it names no secret."""


class NotDelivered(Unreachable):
    """The connection is over and the request was certainly not carried out."""


class NoAnswer(Unreachable):
    """The request was sent and nobody knows what came of it."""


class Refusal(Exception):
    """The server said no."""


class SignInNeeded(Unreachable):
    """A person has to sign in first."""


class Session(Protocol):
    """An open connection to one server, for as long as it holds."""

    @property
    def alive(self) -> bool: ...

    async def tools(self) -> tuple[ListedTool, ...]:
        """Its tools; asked for once, and again only when it says that they changed."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any], show: Callable[[str], None]) -> CallResult: ...

    async def close(self) -> None: ...
