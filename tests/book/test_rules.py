"""What `make check` holds besides linters and types: each rule, broken on purpose, is reported."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KNOWS_MANY = 12
KNOWING_MANY = 76
LONGEST_MODULE = 300
LONG_MODULES = 24


def checked(root: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "scripts/check-rules", root], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def plant(root: Path, **modules: str) -> None:
    """Modules by their place below `src/perdure`, with two underscores between folders."""
    for name, text in modules.items():
        place, _, ending = name.rpartition("_as_")
        path = root / "src/perdure" / f"{(place or name).replace('__', '/')}.{ending if place else 'py'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_rules_that_nobody_broke_are_kept(tmp_path: Path) -> None:
    assert checked(ROOT) == (0, "")
    plant(tmp_path, core__chat="class Chat:\n    pass\n")
    assert checked(tmp_path) == (0, "")


def test_make_check_looks_at_them() -> None:
    told = subprocess.run(["make", "-n", "check-code"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "scripts/check-rules" in told


def test_a_class_name_with_two_meanings_on_a_floor_is_reported(tmp_path: Path) -> None:
    answer = "class Answer:\n    pass\n"
    plant(tmp_path, api__answers=answer, api__wire__answers=answer, cli__answers=answer)
    assert checked(tmp_path) == (
        1,
        "check: the class name Answer has 2 meanings on one floor: api/answers.py, api/wire/answers.py\n",
    )


def knowing(root: Path, modules: int, *, known: int) -> None:
    plant(root, **{f"core__part{number}": "" for number in range(known)})
    names = ", ".join(f"part{number}" for number in range(known - 1))
    text = f"import json\nfrom perdure.core import {names}\nfrom perdure.core.part{known - 1} import name\n"
    plant(root, **{f"worker__many{number}": text for number in range(modules)})


def test_more_modules_than_may_that_import_many_are_reported(tmp_path: Path) -> None:
    knowing(tmp_path, KNOWING_MANY, known=KNOWS_MANY + 1)
    assert checked(tmp_path) == (0, "")
    knowing(tmp_path, KNOWING_MANY + 1, known=KNOWS_MANY + 1)
    code, output = checked(tmp_path)
    assert code == 1
    assert output.startswith("check: 77 modules import more than 12 of ours, and 76 may: worker/many0.py, ")


def test_modules_that_import_as_many_as_they_may_are_not_counted(tmp_path: Path) -> None:
    knowing(tmp_path, KNOWING_MANY + 1, known=KNOWS_MANY)
    assert checked(tmp_path) == (0, "")


def test_more_long_modules_than_may_be_are_reported(tmp_path: Path) -> None:
    long = "ONE = 1\n" * (LONGEST_MODULE + 1)
    plant(tmp_path, **{f"core__long{number}": long for number in range(LONG_MODULES)})
    plant(tmp_path, core__just="ONE = 1\n" * LONGEST_MODULE)
    assert checked(tmp_path) == (0, "")
    plant(tmp_path, core__longest=long)
    code, output = checked(tmp_path)
    assert code == 1
    assert f"{LONG_MODULES + 1} modules have more than {LONGEST_MODULE} lines" in output


@pytest.mark.parametrize("beginning", ["def long() -> None:\n", "async def long() -> None:\n"])
def test_a_long_function_is_reported(tmp_path: Path, beginning: str) -> None:
    plant(tmp_path, core__short=beginning + "    print()\n" * 49)
    assert checked(tmp_path) == (0, "")
    plant(tmp_path, core__long=beginning + "    print()\n" * 50)
    assert checked(tmp_path) == (1, "check: core/long.py:1: long has 51 lines, and 50 may be\n")


def test_a_row_that_is_read_by_name_above_the_store_is_reported(tmp_path: Path) -> None:
    reading = 'def title(row: dict[str, str]) -> str:\n    return row["title"]\n'
    plant(tmp_path, store__rows=reading, proof__evidence=reading)
    assert checked(tmp_path) == (0, "")
    plant(tmp_path, access__chats=reading, api__cards=reading.replace("row", "card_record"))
    code, output = checked(tmp_path)
    assert code == 1
    assert output.splitlines() == [
        'check: access/chats.py:2: row["title"] is read above the store',
        'check: api/cards.py:2: card_record["title"] is read above the store',
    ]


@pytest.mark.parametrize(
    "condition", ["action LIKE '%approval%'", "k.diff ILIKE $1", "open_calls::text NOT LIKE '%x%'"]
)
def test_json_that_is_searched_as_text_is_reported(tmp_path: Path, condition: str) -> None:
    searched = "-- name: chats.found\n-- What a LIKE may say.\nSELECT id FROM chats WHERE "
    plant(tmp_path, store__tables__chats_as_sql=f"{searched}title ILIKE $1 AND diff::jsonb ->> 'origin' LIKE $2\n")
    assert checked(tmp_path) == (0, "")
    plant(tmp_path, store__tables__chats_as_sql=f"{searched}{condition}\n")
    code, output = checked(tmp_path)
    assert code == 1
    assert output.startswith("check: store/tables/chats.sql:3: ")
    assert output.endswith(" is searched as text\n")
