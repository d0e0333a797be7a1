"""Merged parts mean what the parts meant, whatever was merged."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from perdure.core.deltas import (
    Accumulator,
    AnyDelta,
    NoticeDelta,
    ReasoningDelta,
    SourceDelta,
    TextDelta,
    ToolCallDelta,
    ToolResultDelta,
)
from perdure.core.joining import fewer
from perdure.core.message import Media, ProviderMetadata, Role
from perdure.live.episodes import Merged, Piece, merged

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
texts = st.text(alphabet="ab", max_size=3)
metadata = st.none() | st.just(ProviderMetadata("d", "m", {"signature": "s"}))
moments = st.none() | st.just(NOON)


def deltas(index: int) -> st.SearchStrategy[AnyDelta]:
    at = st.just(index)
    return [
        st.builds(TextDelta, at, texts, metadata),
        st.builds(ReasoningDelta, at, texts, moments, moments, metadata),
        st.builds(ToolCallDelta, at, st.sampled_from(["", "c1"]), st.sampled_from(["", "t"]), texts),
        st.builds(
            ToolResultDelta,
            at,
            st.sampled_from(["", "c1"]),
            result_delta=texts,
            result_reset=st.booleans(),
            is_error=st.booleans(),
            media=st.sampled_from([(), (Media("f", "image/png", "p"),)]),
            done=st.booleans(),
            created_at=moments,
        ),
        st.builds(SourceDelta, at, texts),
        st.builds(NoticeDelta, at, texts),
    ][index]


pieces = st.lists(
    st.builds(Piece, st.sampled_from([Role.ASSISTANT, Role.TOOL]), st.integers(0, 5).flatmap(deltas)), max_size=30
)


def folded(parts: list[tuple[Role, AnyDelta]]) -> dict[Role, object]:
    return {role: Accumulator(delta for r, delta in parts if r is role).parts() for role in Role}


@given(pieces, st.integers(1, 100))
def test_folding_what_was_merged_gives_what_folding_everything_gives(parts: list[Piece], first: int) -> None:
    joined = merged(parts, first)
    assert folded([(part.role, part.delta) for part in joined]) == folded([(part.role, part.delta) for part in parts])


@given(pieces)
def test_fewer_deltas_fold_to_the_same(parts: list[Piece]) -> None:
    all_deltas = [part.delta for part in parts]
    joined = fewer(all_deltas)
    assert len(joined) <= len(all_deltas)
    assert Accumulator(joined).parts() == Accumulator(all_deltas).parts()


@given(pieces, st.integers(1, 100))
def test_merged_parts_cover_every_number_once(parts: list[Piece], first: int) -> None:
    covered = [seq for part in merged(parts, first) for seq in range(part.seq_from, part.seq + 1)]
    assert covered == list(range(first, first + len(parts)))


def test_a_run_of_text_becomes_one_part() -> None:
    parts = [Piece(Role.ASSISTANT, TextDelta(0, piece)) for piece in "hello"]
    assert merged(parts, 4) == [Merged(Role.ASSISTANT, TextDelta(0, "hello"), 4, 8)]
