"""The documents are true: what they name exists."""

import re
from pathlib import Path

import pytest

from perdure.api.table import TABLE
from perdure.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
READING_ORDER = re.compile(r"^\d\. \[`(.+?)`\]\((.+?)\)", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text())
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_the_architecture_can_be_read_in_one_sitting() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text.splitlines()) < 200
    assert len(READING_ORDER.findall(text)) == 7


def test_the_map_names_every_package() -> None:
    floors = (ROOT / "ARCHITECTURE.md").read_text().split("## The map")[1].split("## Rules")[0]
    packages = {path.parent.name for path in ROOT.glob("src/perdure/*/__init__.py")}
    assert {name for name in packages if f"`{name}`" not in floors} == set()


def test_the_reference_lists_every_command() -> None:
    rows = {f"| `perdure {name}` | {about} |" for name, about in COMMANDS.items()}
    assert rows - set((ROOT / "docs/reference/commands.md").read_text().splitlines()) == set()


def test_every_decision_is_listed() -> None:
    pages = {path.name for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    listed = (ROOT / "docs/decisions/README.md").read_text()
    assert {page for page in pages if f"({page})" not in listed} == set()


def test_the_reference_lists_every_route() -> None:
    page = (ROOT / "docs/reference/api.md").read_text()
    assert [route.name for route in TABLE.routes if f"| `{route.name}` |" not in page] == []
