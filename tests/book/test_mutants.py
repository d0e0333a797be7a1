"""The list of mutants is about today's source and today's tests, so that it cannot rot unseen."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LEAST = 60
PARTS = ("machine", "worker", "agent", "stream", "providers", "workspaces")
MUTANTS: list[dict[str, Any]] = tomllib.loads((ROOT / "tests/mutants.toml").read_text())["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["says"])
def test_its_text_is_there_once_and_its_tests_are_there(mutant: dict[str, Any]) -> None:
    source = (ROOT / "src/perdure" / mutant["file"]).read_text()
    assert (source.count(mutant["old"]), mutant["old"] != mutant["new"]) == (1, True)
    assert [test for test in mutant["tests"] if not (ROOT / "tests" / test).is_file()] == []


def test_there_are_enough_of_them_in_every_part() -> None:
    assert len(MUTANTS) >= LEAST
    assert {part for part in PARTS if any(mutant["file"].startswith(f"{part}/") for mutant in MUTANTS)} == set(PARTS)
    assert len({mutant["says"] for mutant in MUTANTS}) == len(MUTANTS)
