"""Frames that differ in a piece of text alone: what they share is encoded once for all of them."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

_encoder = msgspec.json.Encoder()
_TEXT, _NUMBER = "\0", 2**53
"""What stands in an example for the text and for the number, which comes before it."""

DeltaFrame: TypeAlias = Callable[[str], bytes]
"""From a piece of text to the frame that brings it."""
NumberedFrame: TypeAlias = Callable[[int, str], bytes]


def delta_frame(example: DeltaFrame) -> DeltaFrame:
    """Gives what the example gives for any text, and asks it once. Nothing of others comes after the text in it."""
    before, after = _around(example(_TEXT))
    encode = _encoder.encode
    return lambda text: b"%b%b%b" % (before, encode(text), after)


def numbered_frame(example: NumberedFrame) -> NumberedFrame:
    """The same for events that are numbered."""
    before, after = _around(example(_NUMBER, _TEXT))
    first, _, between = before.partition(b"%d" % _NUMBER)
    encode = _encoder.encode
    return lambda number, text: b"%b%d%b%b%b" % (first, number, between, encode(text), after)


def _around(example: bytes) -> tuple[bytes, bytes]:
    before, _, after = example.rpartition(_encoder.encode(_TEXT))
    return before, after
