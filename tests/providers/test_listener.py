"""What a listener makes of a stream as a whole."""

import pytest
from tests.providers.dialects_played import decoder

from perdure.core.deltas import TextDelta
from perdure.core.message import FinishReason
from perdure.providers.errors.failures import Foreign, Garbled, Malformed
from perdure.providers.event_streams import Splitter
from perdure.providers.listener import Listener

TEXT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
STRANGE = b'data: {"event":"heartbeat"}\n\n'
LAST = b'data: {"choices":[{"delta":{},"finish_reason":"length"}]}\n\n'


@pytest.fixture
def listener() -> Listener:
    return Listener(Splitter(), decoder("openai_chat"))


def test_a_strange_event_first_means_another_api(listener: Listener) -> None:
    with pytest.raises(Foreign):
        listener.feed(STRANGE + TEXT)


def test_a_strange_event_later_means_nothing(listener: Listener) -> None:
    assert listener.feed(TEXT + STRANGE + TEXT) == [TextDelta(0, "aa")]


def test_a_broken_event_is_another_api_at_first_and_garbled_later(listener: Listener) -> None:
    with pytest.raises(Malformed):
        Listener(Splitter(), decoder("openai_chat")).feed(b"data: {broken\n\n")
    listener.feed(TEXT)
    with pytest.raises(Garbled):
        listener.feed(b"data: {broken\n\n")


def test_a_last_event_without_its_blank_line_counts(listener: Listener) -> None:
    listener.feed(TEXT + LAST.rstrip())
    assert listener.finish is None
    listener.close()
    assert listener.finish is not None
    assert listener.finish.reason is FinishReason.LENGTH


def test_comments_are_no_events(listener: Listener) -> None:
    assert listener.feed(b": waiting\n\n: still waiting\n\n") == []
    assert listener.events == 0
    listener.feed(TEXT)
    assert listener.events == 1
