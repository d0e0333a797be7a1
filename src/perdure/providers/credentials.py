"""Whose key pays: a way to authorize one request, and never a way to read the key back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request about to be sent, as far as a signature needs to know it."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class Credentials(Protocol):
    async def authorize(self, outgoing: Outgoing) -> Mapping[str, str]:
        """The headers that make the request ours."""
        ...


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key in a header. It has no representation but dots."""

    key: str = field(repr=False)
    header: str = "authorization"
    prefix: str = "Bearer "

    async def authorize(self, outgoing: Outgoing) -> Mapping[str, str]:  # noqa: ARG002
        return {self.header: f"{self.prefix}{self.key}"}


@dataclass(frozen=True, slots=True)
class NoKey:
    """For servers that ask for none, such as a model on the same machine."""

    async def authorize(self, outgoing: Outgoing) -> Mapping[str, str]:  # noqa: ARG002
        return {}
