"""Fewer, larger parts with the same meaning: what a burst or a backlog is sent as."""

from collections.abc import Iterable

from msgspec import Struct

from perdure.core.deltas import AnyDelta
from perdure.core.joining import joinable, joined
from perdure.core.message import Role
from perdure.live.episodes import Piece


class Merged(Struct, frozen=True, gc=False):
    """Parts `seq_from` to `seq` of an episode, as one."""

    role: Role
    delta: AnyDelta
    seq_from: int
    seq: int


def merged(pieces: Iterable[Piece], seq_from: int) -> list[Merged]:
    """The parts from number `seq_from` on, neighbours joined where folding gives the same."""
    found: list[Merged] = []
    run: list[AnyDelta] = []
    role, seq = Role.ASSISTANT, seq_from - 1
    for piece in pieces:
        if run and (piece.role is not role or not joinable(run[-1], piece.delta)):
            found.append(Merged(role, joined(run), seq - len(run) + 1, seq))
            run = []
        run.append(piece.delta)
        role, seq = piece.role, seq + 1
    if run:
        found.append(Merged(role, joined(run), seq - len(run) + 1, seq))
    return found
