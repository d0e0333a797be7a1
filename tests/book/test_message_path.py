"""The way of a message is as ARCHITECTURE.md draws it."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
TRACE = runpy.run_path(str(ROOT / "scripts/trace-message"))
LONGEST = 25


async def test_the_way_of_a_message_is_short_and_drawn_as_it_is(database_url: str, tmp_path: Path) -> None:
    trace = await TRACE["traced"](database_url, tmp_path)
    assert set(trace.stages) == set(TRACE["HANDED_ON"].values())
    drawn = (ROOT / "ARCHITECTURE.md").read_text().split("## The way of a message")[1].split("\n## ")[0]
    assert trace.spine == set(re.findall(r"`([a-z_/]+\.py)`", drawn))
    assert len(trace.spine) <= LONGEST
