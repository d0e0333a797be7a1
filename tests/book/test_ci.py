"""What a build machine runs: every rule, then every test, and nothing after the first that fails."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / ".ci/run"


@pytest.mark.parametrize(
    ("failing", "targets", "code"),
    [("nothing", ["check", "test"], 0), ("check", ["check"], 2), ("test", ["check", "test"], 2)],
)
def test_the_build_machine_checks_and_then_tests(failing: str, targets: list[str], code: int, tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/asked"\n[ "$1" != {failing} ] || exit 2\n')
    make.chmod(0o755)
    done = subprocess.run([RUN], env={"PATH": f"{tmp_path}:{os.defpath}"}, check=False)
    assert (done.returncode, (tmp_path / "asked").read_text().split()) == (code, targets)
