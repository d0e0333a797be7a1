"""A screen that a model may use: how large it is is all that a provider is told of it."""

from typing import Annotated

from msgspec import Meta, Struct

Pixels = Annotated[int, Meta(ge=100, le=8_000)]


class Screen(Struct, frozen=True, forbid_unknown_fields=True):
    """Its size in pixels. Coordinates count from the upper left corner."""

    width: Pixels = 1280
    height: Pixels = 800
