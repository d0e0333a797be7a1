"""The reference of events names every event, every field and every way a stream ends."""

import re
from pathlib import Path
from typing import get_args

from perdure.core.events import AnyEvent, WatchKind
from perdure.stream.transport import CLOSE_CODES

PAGE = Path(__file__).parents[2].joinpath("docs/reference/events.md").read_text()


def test_every_event_of_a_chat_is_listed_with_its_fields() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", PAGE, re.MULTILINE))
    told = {str(kind.__struct_config__.tag): set(kind.__struct_fields__) - {"cursor"} for kind in get_args(AnyEvent)}
    assert {name: set(re.findall(r"\w+", fields)) for name, fields in rows.items()} == told


def test_every_kind_of_a_watch_is_named() -> None:
    missing = [kind.value for kind in WatchKind if f"`{kind.value}`" not in PAGE]
    assert missing == []


def test_every_close_code_is_explained() -> None:
    assert set(re.findall(r"^\| (\d{4}) \|", PAGE, re.MULTILINE)) == {str(code) for code in CLOSE_CODES.values()}
