"""The documents are true: what they name exists."""

import json
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*.md")]
READING_ORDER = re.compile(r"^\d\. \[`(.+?)`\]\((.+?)\)", re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """What links can lead to within a page."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        path, _, anchor = target.partition("#")
        page = document.parent / path if path else document
        if "://" not in target:
            assert page.exists(), target
            assert not anchor or anchor in anchors(page), target


def test_the_architecture_can_be_read_in_one_sitting() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text.splitlines()) < 200
    first = [ROOT / path for _, path in READING_ORDER.findall(text)]
    assert len(first) == 7
    assert sum(len(path.read_text().splitlines()) for path in first) < 900


def folders(place: str) -> set[str]:
    """The folders that are kept there."""
    lines = (ROOT / ".gitignore").read_text().splitlines()
    ignored = [line.strip("/") for line in lines if place == "." or not line.startswith("/")]
    found = {path.name for path in (ROOT / place).iterdir() if path.is_dir() and not path.name.startswith(".")}
    return {name for name in found if not any(fnmatch(name, pattern) for pattern in ignored)}


def test_the_map_names_every_folder_and_no_other() -> None:
    drawn = (ROOT / "ARCHITECTURE.md").read_text().split("## The map")[1].split("## Rules")[0]
    named = set(re.findall(r"`([.a-z]+)`", drawn)) - {"perdure", "make", "settings.py"}
    packages = folders("src/perdure")
    assert named == packages | (folders("tests") - packages) | (folders(".") - {"src"}) | {".ci"}
    assert (ROOT / ".ci").is_dir()


def floors_of_the_page() -> list[list[str]]:
    """The rows of the map, from the top to the ground."""
    drawn = (ROOT / "docs/architecture/page.md").read_text().split("|---|---|")[1].split("\n\n")[0]
    return [re.findall(r"`([\w/]+)`", line.split("|")[1]) for line in drawn.splitlines() if line]


def test_the_map_of_the_web_page_names_every_folder_and_no_other() -> None:
    split = {"chat"}
    kept = folders("web/src") - split | {f"{name}/{inner}" for name in split for inner in folders(f"web/src/{name}")}
    assert {name for row in floors_of_the_page() for name in row} == kept


def test_the_linter_holds_the_floors_that_the_map_of_the_page_draws() -> None:
    rows = [[name for name in row if name not in {"styles", "stories"}] for row in floors_of_the_page()]
    drawn = {
        name: {above for row in rows[:at] for above in row} | (set(row) - {name})
        for at, row in enumerate(rows)
        for name in row
    }
    held = dict[str, set[str]]()
    for override in json.loads((ROOT / "web/biome.json").read_text())["overrides"]:
        rule = override["linter"]["rules"]["style"]["noRestrictedImports"]
        groups = rule["options"]["patterns"][0]["group"]
        name = override["includes"][0].removeprefix("src/").removesuffix("/**")
        held[name] = {group.strip("*/") for group in groups if group.startswith("**/")}
    assert held == {name: above for name, above in drawn.items() if above}


@pytest.mark.parametrize("page", ["settings", "commands", "api", "metrics"])
def test_the_reference_is_what_the_code_says(page: str) -> None:
    written = runpy.run_path(str(ROOT / "scripts/write-reference"))
    assert (ROOT / f"docs/reference/{page}.md").read_text() == written[page](), "make reference writes it"


def test_every_decision_is_listed() -> None:
    pages = {path.name for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    listed = (ROOT / "docs/decisions/README.md").read_text()
    assert {page for page in pages if f"({page})" not in listed} == set()
