"""Recordings of streams, played through a splitter and a decoder."""

from pathlib import Path

from perdure.core.deltas import Accumulator, Finish
from perdure.core.message import AnyPart
from perdure.providers.dialects.dialect import Decoder
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.event_streams import Splitter
from perdure.providers.listener import Listener
from perdure.providers.model import Model

RECORDINGS = sorted(Path("tests/recordings").glob("*/*.sse"))


def decoder(dialect: str) -> Decoder:
    return DIALECTS[dialect].decoder(Model(id="m", dialect=dialect))


def played(dialect: str, *pieces: bytes) -> tuple[tuple[AnyPart, ...], Finish | None]:
    """The parts and the finish that the pieces amount to."""
    listener = Listener(Splitter(), decoder(dialect))
    accumulator = Accumulator(delta for piece in pieces for delta in listener.feed(piece))
    for delta in listener.close():
        accumulator.add(delta)
    return accumulator.parts(), listener.finish
