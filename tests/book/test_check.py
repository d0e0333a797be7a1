"""The place that shows that `make check` bites: each rule, broken on purpose, is reported."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def run(*command: str, cwd: Path, stdin: str | None = None) -> tuple[int, str]:
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the checks read, to break."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        ("D100", "src/perdure/core/nameless.py", "ONE = 1\n"),
        ("T201", "src/perdure/core/loud.py", '"""A module."""\n\nprint("hello")\n'),
        ("TID251", "src/perdure/core/curious.py", '"""A module."""\n\nimport os\n\nHOME = os.environ["HOME"]\n'),
        ("BLE001", "src/perdure/core/deaf.py", '"""A module."""\n\ntry:\n    pass\nexcept Exception:\n    ONE = 1\n'),
        ("FIX002", "src/perdure/core/later.py", '"""A module."""\n\nONE = 1  # TODO: two\n'),
        ("TID251", "tests/core/test_nothing.py", '"""A module."""\n\nfrom unittest.mock import Mock\n\nMock()\n'),
    ],
)
def test_a_broken_style_rule_is_reported(rule: str, path: str, source: str) -> None:
    code, output = run(str(BIN / "ruff"), "check", "--stdin-filename", path, "-", cwd=ROOT, stdin=source)
    assert code == 1
    assert rule in output


def test_a_wrong_type_is_reported(checkout: Path) -> None:
    (checkout / "src/perdure/wrong.py").write_text('"""A module."""\n\ncount: int = "one"\n')
    code, output = run(str(BIN / "pyright"), "src/perdure/wrong.py", cwd=checkout)
    assert code == 1
    assert "wrong.py:3:14 - error" in output
    assert "reportAssignmentType" in output


def test_an_untyped_function_is_reported(checkout: Path) -> None:
    (checkout / "src/perdure/untyped.py").write_text('"""A module."""\n\n\ndef same(value):\n    return value\n')
    code, output = run(str(BIN / "pyright"), "src/perdure/untyped.py", cwd=checkout)
    assert code == 1
    assert "reportMissingParameterType" in output


@pytest.mark.parametrize(
    ("contract", "modules"),
    [
        ("Floors", {"core/upward.py": "import perdure.store.low", "store/low.py": ""}),
        ("Floors", {"worker/side.py": "import perdure.stream.side", "stream/side.py": ""}),
        ("Floors", {"sim/wide.py": "import perdure.store.low", "store/low.py": ""}),
        ("Floors", {"somewhere/new.py": ""}),
        ("The server knows neither", {"api/shortcut.py": "import perdure.sim.inner", "sim/inner.py": ""}),
        ("The words and the rules", {"core/talkative.py": "import aiohttp"}),
        ("The machine's inside", {"machine/transitions/hasty.py": "import perdure.machine.delivery"}),
        ("Only the machine writes", {"worker/shortcut.py": "import perdure.store.execution"}),
        (
            "No cycles between siblings",
            {"core/hen.py": "import perdure.core.egg", "core/egg.py": "import perdure.core.hen"},
        ),
    ],
)
def test_a_broken_floor_is_reported(checkout: Path, contract: str, modules: dict[str, str]) -> None:
    for path, source in modules.items():
        module = checkout / "src/perdure" / path
        module.parent.mkdir(exist_ok=True)
        (module.parent / "__init__.py").touch()
        module.write_text(f"{source}\n")
    code, output = run(str(BIN / "lint-imports"), "--no-cache", "--config", "../pyproject.toml", cwd=checkout / "src")
    assert code == 1
    broken = [line for line in output.splitlines() if line.endswith("BROKEN")]
    assert [line for line in broken if line.startswith(contract)]


def test_no_lock_file_names_a_host() -> None:
    locks = [path for path in (ROOT / "requirements.lock", ROOT / "web/pnpm-lock.yaml") if path.exists()]
    assert locks
    assert [path.name for path in locks if "://" in path.read_text()] == []


def test_a_type_that_an_imported_module_breaks_is_reported(checkout: Path) -> None:
    """Although the file that is wrong afterwards was found right before, and did not change."""
    shutil.copytree(ROOT / "scripts", checkout / "scripts")
    shutil.copy(ROOT / "requirements.lock", checkout)
    shutil.rmtree(checkout / "src/perdure")
    package = checkout / "src/perdure"
    package.mkdir()
    (package / "__init__.py").write_text('"""A package."""\n')
    (package / "giver.py").write_text('"""A module."""\n\nGIVEN = 1\n')
    (package / "taker.py").write_text('"""A module."""\n\nfrom perdure.giver import GIVEN\n\nTAKEN: int = GIVEN\n')
    command = ("env", f"XDG_CACHE_HOME={checkout}", sys.executable, "scripts/check-types")
    assert run(*command, cwd=checkout) == (0, "")
    (package / "giver.py").write_text('"""A module."""\n\nGIVEN = "one"\n')
    code, output = run(*command, cwd=checkout)
    assert code == 1
    assert "taker.py:5:14 - error" in output
