"""How far a long command has come: one line on a terminal, written over again and again, and gone at the end."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

_AFRESH = "\r\x1b[2K"


@contextmanager
def progress(first: str = "starting") -> Generator[Callable[[str], None]]:
    """What is called in the block shows where the command stands. Nothing of it is left when the block ends."""

    def show(text: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"{_AFRESH}{text}")
            sys.stderr.flush()

    show(first)
    try:
        yield show
    finally:
        show("")
