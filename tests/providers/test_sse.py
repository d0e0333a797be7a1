"""Events cut out of bytes, whichever way a server writes them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.providers.event_streams import EventTooLong, Splitter

KINDS = b"data: a|data: b|data:c|data: |data|event: x|event: data: y|: hello|id: 7|xdata: z|"
LINES = st.sampled_from(KINDS.split(b"|"))
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


def read_line_by_line(lines: list[bytes]) -> list[bytes]:
    """The data of every event, found the plain way."""
    found: list[bytes] = []
    data: list[bytes] = []
    for line in lines:
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            found.append(b"\n".join(data))
            data = []
    return found


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(LINES, max_size=12), end=ENDS, size=st.integers(1, 40))
def test_events_are_those_of_a_plain_reader(lines: list[bytes], end: bytes, size: int) -> None:
    body = end.join([*lines, b"", b"", b""])
    splitter = Splitter()
    found = [data for at in range(0, len(body), size) for data in splitter.feed(body[at : at + size])]
    assert [*found, *splitter.close()] == read_line_by_line([*lines, b""])


def test_an_event_of_one_line_is_found_with_a_name_and_without() -> None:
    body = b'event: more\ndata: {"text":"data: x"}\n\ndata: {"event: y":1}\n\n'
    assert Splitter().feed(body) == [b'{"text":"data: x"}', b'{"event: y":1}']


def test_an_event_that_grows_too_long_is_given_up_however_it_comes() -> None:
    splitter = Splitter(limit=20)
    assert splitter.feed(b"data: " + b"x" * 14) == []
    with pytest.raises(EventTooLong):
        splitter.feed(b"y")
