"""Durations that depend on each other, or that several modules share, live in one place; others where they are used."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/perdure"
TIMING = SOURCE / "core/timing.py"
AT_HOME = [SOURCE / floor for floor in ("client", "providers", "tools")]
"""Packages whose own durations are with whoever uses them. In the others they are all in one place still."""
# The program inside a workspace has nothing but the standard library; what measures or tests the product is not it;
# and the calendar's days and weeks are nobody's choice.
ELSEWHERE = [
    *(TIMING, *AT_HOME),
    *(SOURCE / place for place in ("workspaces/agent", "proof", "testing", "core/recurrence")),
    *SOURCE.glob("cli/bench_*.py"),
]
CONSTANT = re.compile(r"^(_?[A-Z][A-Z_]*)(?::.+?)? = (?:.*\btimedelta\((?:\w+=)?[\d.]|[\d.]+$)", re.MULTILINE)
WORD = re.compile(r"\b[A-Z_]+\b")
UNITS = {"_MICROSECOND", "_LAST"}


def durations(path: Path) -> list[str]:
    """Constants that are a span of time, or say in their name that they count seconds."""
    found = [(match[1], match[0]) for match in CONSTANT.finditer(path.read_text())]
    return [name for name, line in found if "timedelta(" in line or "SECONDS" in name]


def test_no_other_module_says_how_long_something_takes() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if not any(path.is_relative_to(place) for place in ELSEWHERE)]
    said = {str(path.relative_to(SOURCE)): sorted({*durations(path)} - UNITS) for path in modules}
    assert {path: names for path, names in said.items() if names} == {}
    assert len(durations(TIMING)) > 100


def shared_by_nobody(timing: str, modules: dict[Path, str]) -> dict[str, Path]:
    """Durations that depend on no other, no other on them, and that one module alone uses."""
    lonely: dict[str, Path] = {}
    words = {path: set(WORD.findall(text)) for path, text in modules.items()}
    for name in re.findall(r"^([A-Z_]+) = timedelta\(", timing, re.MULTILINE):
        users = [path for path, named in words.items() if name in named]
        if len(users) == 1 and len(re.findall(rf"\b{name}\b", timing)) == 1:
            lonely[name] = users[0]
    return lonely


def test_what_one_module_alone_uses_is_said_there() -> None:
    modules = {path: path.read_text() for path in SOURCE.rglob("*.py") if path != TIMING}
    lonely = shared_by_nobody(TIMING.read_text(), modules)
    assert [name for name, user in lonely.items() if any(user.is_relative_to(floor) for floor in AT_HOME)] == []


def test_a_duration_that_one_module_alone_uses_is_found() -> None:
    timing = "PING = timedelta(seconds=1)\nSILENCE = 3 * PING\nKEPT = timedelta(days=5)\nSHARED = timedelta(days=1)\n"
    modules = {Path("a.py"): "use(PING, KEPT, SHARED)", Path("b.py"): "use(SILENCE, SHARED)"}
    assert shared_by_nobody(timing, modules) == {"KEPT": Path("a.py")}
