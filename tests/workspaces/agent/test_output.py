"""What is kept of an output of any length is what was printed, at the place where it was printed."""

from hypothesis import given
from hypothesis import strategies as st

from perdure.workspaces.agent.output import Output

HEAD, TAIL = 7, 5
sizes = st.lists(st.integers(0, 3 * (HEAD + TAIL)), max_size=12)


def printed(pieces: list[int]) -> tuple[Output, bytes]:
    """An output, and all that was ever printed to it: every byte tells its place."""
    whole = bytes(place % 251 for place in range(sum(pieces)))
    output, at = Output(HEAD, TAIL), 0
    for size in pieces:
        output.add(whole[at : at + size])
        at += size
    return output, whole


@given(sizes, st.integers(0, 3 * (HEAD + TAIL)))
def test_a_head_and_a_tail_are_those_of_the_whole(pieces: list[int], most: int) -> None:
    output, whole = printed(pieces)
    head, tail, missing = output.ends(most)
    assert head == whole[: len(head)]
    assert tail == whole[len(whole) - len(tail) :]
    assert (len(head) + missing + len(tail), len(head) + len(tail) <= most) == (len(whole), True)
    assert len(head) + len(tail) >= min(most, len(whole), TAIL)


@given(sizes, st.integers(0, 40), st.integers(1, 40))
def test_what_is_read_from_a_place_on_was_printed_there(pieces: list[int], offset: int, most: int) -> None:
    output, whole = printed(pieces)
    piece = output.since(min(offset, len(whole)), most)
    assert piece.content == whole[piece.offset : piece.offset + len(piece.content)]
    assert piece.skipped == piece.offset - min(offset, len(whole))
    last = output.since(max(0, len(whole) - TAIL), TAIL)
    assert (last.offset + len(last.content), last.skipped) == (len(whole), 0) or last.offset < HEAD
