"""Neighbouring deltas as one, where folding gives the same."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta, ToolResultDelta


def fewer(deltas: Sequence[AnyDelta]) -> list[AnyDelta]:
    """The same with neighbours joined: what arrives together is handled, shown and stored together."""
    found: list[AnyDelta] = []
    run: list[AnyDelta] = []
    for delta in deltas:
        if run:
            last = run[-1]
            # Nearly every delta is more text: it takes the short way.
            more_text = type(delta) is TextDelta and type(last) is TextDelta and delta.index == last.index
            if not more_text and not joinable(last, delta):
                found.append(joined(run))
                run = []
        run.append(delta)
    if run:
        found.append(joined(run))
    return found


def joinable(first: AnyDelta, second: AnyDelta) -> bool:
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


def joined(run: Sequence[AnyDelta]) -> AnyDelta:
    """Neighbours that only add to each other, as one."""
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
