"""Durations of the product live in one place, so that those that depend on each other can be seen together."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/perdure"
# The program inside a workspace has nothing but the standard library; what measures or tests the product is not it.
ELSEWHERE = [SOURCE / place for place in ("core/timing.py", "workspaces/agent", "proof", "testing")]
CONSTANT = re.compile(r"^(_?[A-Z][A-Z_]*)(?::.+?)? = (?:.*\btimedelta\((?:\w+=)?[\d.]|[\d.]+$)", re.MULTILINE)
UNITS = {"_MICROSECOND", "_LAST"}


def durations(path: Path) -> list[str]:
    """Constants that are a span of time, or say in their name that they count seconds."""
    found = [(match[1], match[0]) for match in CONSTANT.finditer(path.read_text())]
    return [name for name, line in found if "timedelta(" in line or "SECONDS" in name]


def test_no_other_module_says_how_long_something_takes() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if not any(path.is_relative_to(place) for place in ELSEWHERE)]
    said = {str(path.relative_to(SOURCE)): sorted({*durations(path)} - UNITS) for path in modules}
    assert {path: names for path, names in said.items() if names} == {}
    assert len(durations(SOURCE / "core/timing.py")) > 100
