"""Tools on the wire."""

from msgspec import Struct


class ToolCard(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool that chats may use, as people read of it."""

    name: str
    description: str
    asks: bool = False
    """Whether a person is asked before it runs, where nobody has settled anything else."""


class ToolList(Struct, frozen=True):
    items: tuple[ToolCard, ...]
