"""Keys that come back in an answer, in one piece or in several."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as some

from perdure.providers.redaction import Redaction, secrets_in

KEY, OTHER = b"sk-canary-4f1d0c9a7e", b"sk-canary-8b2e"
BODY = b'data: {"text": "you sent ' + KEY + b" and " + OTHER + b'sk-can"}\n\nsk-' + KEY + b"\n\nends in sk-cana"
CLEAN = b'data: {"text": "you sent [key] and [key]sk-can"}\n\nsk-[key]\n\nends in sk-cana'


@given(some.lists(some.integers(0, len(BODY)), max_size=12))
def test_a_key_is_found_wherever_its_body_is_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(BODY)]
    redaction = Redaction((KEY, OTHER))
    told = [redaction.feed(BODY[start:end]) for start, end in itertools.pairwise(places)]
    assert b"".join([*told, redaction.close()]) == CLEAN


@pytest.mark.parametrize("piece", [b"data: x\n\n", b"", b"sk", b"k"])
def test_without_a_key_everything_passes_at_once(piece: bytes) -> None:
    assert Redaction(()).feed(piece) == piece


def test_what_is_too_short_to_be_a_key_is_none() -> None:
    assert secrets_in({"authorization": "Bearer sk-12345", "x-api-key": "short"}) == (b"sk-12345",)
