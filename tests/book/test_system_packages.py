"""What `make` says on a machine without the system packages, to somebody who may not install them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/system-packages"


@pytest.fixture
def bare_path() -> Iterator[Path]:
    """A PATH with hardly anything on it, which everybody may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        found = shutil.which("id")
        assert found is not None
        (folder / "id").symlink_to(found)
        yield folder


def ask(purpose: str, path: Path) -> tuple[int, str]:
    """What somebody who is not root is told."""
    done = subprocess.run(
        ["/bin/sh", "-s", purpose],
        input=SCRIPT.read_text(),
        env={"PATH": str(path)},
        user="nobody" if os.geteuid() == 0 else None,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_tests_do_not_start_and_one_line_says_what_to_run(bare_path: Path) -> None:
    code, said = ask("test", bare_path)
    assert code == 2
    assert len(said.splitlines()) == 1
    assert "Run: sudo apt-get install -y --no-install-recommends bubblewrap ripgrep git" in said


def test_the_server_starts_and_is_told_what_is_off(bare_path: Path) -> None:
    code, said = ask("run", bare_path)
    assert code == 0
    assert "starting without bubblewrap ripgrep git." in said
    assert "off: sandboxed workspaces (bubblewrap is not installed)" in said
    assert "chromium" not in said
