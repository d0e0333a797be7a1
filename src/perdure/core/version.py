"""Which version of Perdure this is."""

from functools import cache
from importlib.metadata import version


@cache
def product_version() -> str:
    """As the installed package says it, which takes the reading of a file."""
    return version("perdure")
