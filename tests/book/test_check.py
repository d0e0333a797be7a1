"""The place that shows that `make check` bites: each rule, broken on purpose, is reported."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
CONTRACTS = [contract["name"] for contract in TOOLS["importlinter"]["contracts"]]


def run(*command: str, cwd: Path, stdin: str | None = None) -> tuple[int, str]:
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def with_statements(count: int) -> str:
    return "def long() -> None:\n" + "    print()\n" * count


BANNED = {
    "os.environ": 'import os\n\nHOME = os.environ["HOME"]\n',
    "os.getenv": 'import os\n\nHOME = os.getenv("HOME")\n',
    "binascii.Error": "import binascii\n\nERROR = binascii.Error\n",
    "unittest.mock": "from unittest.mock import Mock\n\nMock()\n",
    "pytest.skip": "import pytest\n\npytest.skip()\n",
    "pytest.mark.skip": "import pytest\n\nMARK = pytest.mark.skip\n",
    "pytest.mark.skipif": "import pytest\n\nMARK = pytest.mark.skipif\n",
}
STYLE = [
    ("D100", "ONE = 1\n"),
    ("T201", 'print("hello")\n'),
    ("BLE001", "try:\n    pass\nexcept Exception:\n    ONE = 1\n"),
    ("FIX002", "ONE = 1  # TODO: two\n"),
    ("ERA001", "ONE = 1\n# ONE = 2\n"),
    ("E501", f"ONE = {'1' * 120}\n"),
    ("F401", "import os\n"),
    ("I001", "import sys\nimport os\n\nBOTH = (os, sys)\n"),
    ("TID252", "from . import near\n\nFAR = near\n"),
    ("PLC0415", "def late() -> object:\n    import os\n\n    return os\n"),
    (
        "C901",
        "def deep(x: int) -> int:\n"
        + "".join(f"    if x == {n}:\n        x += 1\n" for n in range(11))
        + "    return x\n",
    ),
    ("PLR0913", f"def wide({', '.join(f'a{n}: int' for n in range(8))}) -> None: ...\n"),
    ("PLR0915", with_statements(36)),
    ("N801", "class lower: ...\n"),
    ("DTZ005", "from datetime import datetime\n\nNOW = datetime.now()\n"),
    ("ASYNC251", "import time\n\n\nasync def slow() -> None:\n    time.sleep(1)\n"),
    ("S608", 'def query(name: str) -> str:\n    return f"SELECT * FROM {name}"\n'),
    ("UP035", "from typing import Sequence\n\nS = Sequence\n"),
    *(("TID251", source) for source in BANNED.values()),
]


@pytest.mark.parametrize(("rule", "source"), STYLE, ids=[f"{rule}-{number}" for number, (rule, _) in enumerate(STYLE)])
def test_a_broken_style_rule_is_reported(rule: str, source: str) -> None:
    text = source if rule == "D100" else f'"""A module."""\n\n{source}'
    name = "src/perdure/core/planted.py"
    code, output = run(str(BIN / "ruff"), "check", "--stdin-filename", name, "-", cwd=ROOT, stdin=text)
    assert code == 1
    assert rule in output


def test_everything_that_is_banned_is_planted() -> None:
    assert set(TOOLS["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]) == set(BANNED)


def test_a_file_that_is_not_formatted_is_reported() -> None:
    code, _ = run(
        str(BIN / "ruff"), "format", "--check", "--stdin-filename", "planted.py", "-", cwd=ROOT, stdin="ONE=1\n"
    )
    assert code == 1


def test_types_that_are_wrong_or_missing_are_reported(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/wrong.py").write_text('"""A module."""\n\ncount: int = "one"\n')
    (tmp_path / "src/untyped.py").write_text('"""A module."""\n\n\ndef same(value):\n    return value\n')
    code, output = run(str(BIN / "pyright"), "src", cwd=tmp_path)
    assert code == 1
    assert "wrong.py:3:14 - error" in output
    assert "reportAssignmentType" in output
    assert "reportMissingParameterType" in output


PLANTED = {
    "core/upward.py": ("Floors", "import perdure.store.low"),
    "worker/side.py": ("Floors", "import perdure.stream.side"),
    "sim/wide.py": ("Floors", "import perdure.store.low"),
    "somewhere/new.py": ("Floors", ""),
    "api/shortcut.py": (CONTRACTS[1], "import perdure.sim.inner"),
    "core/talkative.py": (CONTRACTS[2], "import aiohttp"),
    "machine/transitions/hasty.py": (CONTRACTS[3], "import perdure.machine.machine"),
    "worker/shortcut.py": (CONTRACTS[4], "import perdure.store.execution"),
    "worker/driver.py": (CONTRACTS[5], "import asyncpg"),
    "objects/driver.py": (CONTRACTS[5], "import asyncpg"),
    "api/routes/driver.py": (CONTRACTS[5], "from asyncpg.exceptions import DataError"),
    "core/hen.py": (CONTRACTS[6], "import perdure.core.egg"),
    "core/egg.py": (CONTRACTS[6], "import perdure.core.hen"),
}
REACHED = ("store/low.py", "stream/side.py", "sim/inner.py")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every module by its name alone: what is imported is planted."""
    folder = tmp_path_factory.mktemp("bare")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for module in (ROOT / "src/perdure").rglob("*.py"):
        place = folder / module.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return folder


def floors(folder: Path) -> tuple[int, str]:
    return run(str(BIN / "lint-imports"), "--no-cache", "--config", "../pyproject.toml", cwd=folder / "src")


def test_floors_that_nobody_broke_are_kept(bare: Path) -> None:
    code, output = floors(bare)
    assert code == 0, output


@pytest.fixture(scope="module")
def reported(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said when every contract is broken at once."""
    folder = tmp_path_factory.mktemp("planted") / "checkout"
    shutil.copytree(bare, folder)
    for name, source in {
        **{name: source for name, (_, source) in PLANTED.items()},
        **dict.fromkeys(REACHED, ""),
    }.items():
        module = folder / "src/perdure" / name
        module.parent.mkdir(exist_ok=True)
        (module.parent / "__init__.py").touch()
        module.write_text(f"{source}\n")
    code, output = floors(folder)
    assert code == 1
    return output


@pytest.mark.parametrize("planted", PLANTED)
def test_a_broken_floor_is_reported(planted: str, reported: str) -> None:
    contract, _ = PLANTED[planted]
    assert re.search(rf"^{re.escape(contract)} BROKEN$", reported, re.MULTILINE)
    told = reported.split("Broken contracts")[1].split(f"\n{contract}\n")[1]
    module = planted.removesuffix(".py").removesuffix("/new").replace("/", ".").split(".")[-1]
    assert module in re.split(r"\n\S[^\n]*\n-+\n", told)[0]


def test_every_contract_is_broken_by_something() -> None:
    assert {contract for contract, _ in PLANTED.values()} == set(CONTRACTS)


def test_the_driver_is_banned_on_every_floor_above_the_store() -> None:
    contracts = {contract["name"]: contract for contract in TOOLS["importlinter"]["contracts"]}
    layers = contracts[CONTRACTS[0]]["layers"]
    above = {floor.strip() for layer in layers[: layers.index("store")] for floor in layer.split("|")}
    assert {name.removeprefix("perdure.") for name in contracts[CONTRACTS[5]]["source_modules"]} == above


def test_a_lock_file_that_names_a_host_is_reported(tmp_path: Path) -> None:
    lock = tmp_path / "planted.lock"
    lock.write_text("resolved: https://registry.invalid/perdure.tgz\n")
    code, output = run("make", "--no-print-directory", "check-locks", f"LOCKS={lock}", cwd=ROOT)
    assert code != 0
    assert "a lock file names a host" in output
    lock.write_text("perdure==0.1.0\n")
    assert run("make", "--no-print-directory", "check-locks", f"LOCKS={lock}", cwd=ROOT) == (0, "")


def test_two_migrations_with_one_number_are_reported(tmp_path: Path) -> None:
    for name in ("0001_chats.sql", "0002_files.sql", "schema.sql"):
        (tmp_path / name).touch()
    check = ("make", "--no-print-directory", "check-migrations", f"MIGRATIONS={tmp_path}")
    assert run(*check, cwd=ROOT) == (0, "")
    (tmp_path / "0002_links.sql").touch()
    code, output = run(*check, cwd=ROOT)
    assert code != 0
    assert output.startswith("0002_\ncheck: two migrations have the same number\n")


def checked(root: Path) -> tuple[int, str]:
    """Check the types of a planted project, which remembers what it found right."""
    return run("env", f"XDG_CACHE_HOME={root}", sys.executable, "scripts/check-types", cwd=root)


def planted_project(root: Path, giver: str, taker: str) -> Path:
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "scripts", root / "scripts")
    (root / ".venv").symlink_to(ROOT / ".venv")
    package = root / "src/perdure"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""A package."""\n')
    (package / "giver.py").write_text(giver)
    (package / "taker.py").write_text(taker)
    return package


def test_a_type_that_an_imported_module_breaks_is_reported(tmp_path: Path) -> None:
    """Although the file that is wrong afterwards was found right before, and did not change."""
    taker = '"""A module."""\n\nfrom perdure.giver import Giver\n\nTAKEN: int = Giver().given\n'
    giver = '"""A module."""\n\n\nclass Giver:\n    def __init__(self) -> None:\n        self.given = 1\n'
    package = planted_project(tmp_path, giver, taker)
    assert checked(tmp_path) == (0, "")
    (package / "giver.py").write_text(giver.replace("= 1", '= "one"'))
    code, output = checked(tmp_path)
    assert code == 1
    assert "taker.py:5:14 - error" in output


def test_what_is_inside_a_function_is_checked_in_its_own_file_alone(tmp_path: Path) -> None:
    giver = '"""A module."""\n\n\ndef give() -> int:\n    return 1\n'
    taker = '"""A module."""\n\nfrom perdure.giver import give\n\nTAKEN: int = give()\n'
    package = planted_project(tmp_path, giver, taker)
    assert checked(tmp_path) == (0, "")
    known = len([*(tmp_path / "perdure-types").iterdir()])
    (package / "giver.py").write_text(giver.replace("return 1", "given = 2\n    return given"))
    assert checked(tmp_path) == (0, "")
    assert len([*(tmp_path / "perdure-types").iterdir()]) == known + 1
    (package / "giver.py").write_text(giver.replace("return 1", 'return "one"'))
    code, output = checked(tmp_path)
    assert code == 1
    assert "giver.py:5:12 - error" in output


def test_files_that_are_right_are_remembered_beside_one_that_is_wrong(tmp_path: Path) -> None:
    giver = '"""A module."""\n\nGIVEN = 1\n'
    taker = '"""A module."""\n\nfrom perdure.giver import GIVEN\n\nTAKEN: str = GIVEN\n'
    planted_project(tmp_path, giver, taker)
    code, output = checked(tmp_path)
    assert code == 1
    assert "taker.py:5:14 - error" in output
    assert len([*(tmp_path / "perdure-types").iterdir()]) == 2
    assert checked(tmp_path)[0] == 1
