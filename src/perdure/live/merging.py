"""Fewer, larger parts with the same meaning: what a burst or a backlog is sent as."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta
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
    joined: list[Merged] = []
    run: list[AnyDelta] = []
    role, seq = Role.ASSISTANT, seq_from - 1
    for piece in pieces:
        if run and (piece.role is not role or not _joinable(run[-1], piece.delta)):
            joined.append(Merged(role, _joined(run), seq - len(run) + 1, seq))
            run = []
        run.append(piece.delta)
        role, seq = piece.role, seq + 1
    if run:
        joined.append(Merged(role, _joined(run), seq - len(run) + 1, seq))
    return joined


def _joinable(first: AnyDelta, second: AnyDelta) -> bool:
    """Whether the second only adds to what the first began."""
    if first.index != second.index or type(first) is not type(second):
        return False
    match second:
        case TextDelta():
            return True
        case ReasoningDelta():
            return second.started_at is None
        case ToolCallDelta():
            return not (second.call_id or second.tool or second.provider_executed or second.created_at)
        case ToolResultDelta():
            return not (second.call_id or second.tool or second.provider_executed)
        case _:
            return False


def _joined(run: list[AnyDelta]) -> AnyDelta:
    if len(run) == 1:
        return run[0]
    first, last = run[0], run[-1]
    match first:
        case TextDelta():
            texts = "".join([delta.text for delta in run if isinstance(delta, TextDelta)])
            return replace(first, text=texts, provider_metadata=_newest(run, "provider_metadata"))
        case ReasoningDelta():
            texts = "".join([delta.text for delta in run if isinstance(delta, ReasoningDelta)])
            completed, metadata = _newest(run, "completed_at"), _newest(run, "provider_metadata")
            return replace(first, text=texts, completed_at=completed, provider_metadata=metadata)
        case ToolCallDelta():
            args = "".join([delta.args_delta for delta in run if isinstance(delta, ToolCallDelta)])
            return replace(first, args_delta=args, provider_metadata=_newest(run, "provider_metadata"))
        case ToolResultDelta():
            return _joined_results(first, [delta for delta in run if isinstance(delta, ToolResultDelta)])
        case _:
            return last


def _joined_results(first: ToolResultDelta, run: list[ToolResultDelta]) -> ToolResultDelta:
    resets = [at for at, delta in enumerate(run) if delta.result_reset]
    since = run[resets[-1] :] if resets else run
    return replace(
        first,
        result_delta="".join([delta.result_delta for delta in since]),
        result_reset=bool(resets),
        is_error=any(delta.is_error for delta in run),
        media=_newest(run, "media") or (),
        done=any(delta.done for delta in run),
        created_at=_newest(run, "created_at"),
        provider_metadata=_newest(run, "provider_metadata"),
    )


def _newest(run: Iterable[AnyDelta], field: str) -> object:
    """The last value that any of them knows."""
    known = None
    for delta in run:
        known = getattr(delta, field) or known
    return known
