"""The `perdure` command, as a process."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PERDURE = str(Path(sys.executable).with_name("perdure"))

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the command with an environment and data of its own. What still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def start_one(*arguments: str, **environment: str) -> "subprocess.Popen[str]":
        inherited = {"PATH": os.defpath, "HOME": str(tmp_path), "PERDURE_DATA_DIR": str(tmp_path / "data")}
        process = subprocess.Popen(
            [PERDURE, *arguments],
            env=inherited | {f"PERDURE_{name.upper()}": value for name, value in environment.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start_one
    for process in processes:
        process.kill()
        process.communicate()
