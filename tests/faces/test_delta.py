"""A frame that was encoded in advance is the frame that encoding gives."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from perdure.faces.delta import delta_frame, numbered_frame

_texts = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from('\0"\\\n{}%9')))


@given(_texts, _texts, st.integers(0, 10**9))
def test_every_piece_of_a_text_is_framed_as_if_it_were_the_only_one(before: str, text: str, number: int) -> None:
    def plain(delta: str) -> bytes:
        return b"data: %b\n\n" % msgspec.json.encode({"model": before, "delta": delta, "end": None})

    def numbered(at: int, delta: str) -> bytes:
        return msgspec.json.encode({"sequence_number": at, "item": before, "delta": delta, "end": []})

    assert delta_frame(plain)(text) == plain(text)
    assert numbered_frame(numbered)(number, text) == numbered(number, text)
