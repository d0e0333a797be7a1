"""The `perdure` command, as a process."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from perdure.testing.forking import ForkedCommand

PERDURE = str(Path(sys.executable).with_name("perdure"))

Start = Callable[..., ForkedCommand]
Spawn = Callable[..., "subprocess.Popen[str]"]


def _variables(home: Path, environment: dict[str, str]) -> dict[str, str]:
    inherited = {"PATH": os.defpath, "HOME": str(home), "PERDURE_DATA_DIR": str(home / "data")}
    return inherited | {f"PERDURE_{name.upper()}": value for name, value in environment.items()}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the command with an environment and data of its own. What still runs at the end is killed.

    Its process forks from one that has loaded the product: loading is most of what a command takes.
    """
    processes: list[ForkedCommand] = []

    def start_one(*arguments: str, **environment: str) -> ForkedCommand:
        processes.append(ForkedCommand(("-m", "perdure", *arguments), _variables(tmp_path, environment)))
        return processes[-1]

    yield start_one
    for process in processes:
        process.end()


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Spawn]:
    """The same, as the machine starts the program that was installed."""
    processes: list[subprocess.Popen[str]] = []

    def spawn_one(*arguments: str, **environment: str) -> "subprocess.Popen[str]":
        variables = _variables(tmp_path, environment)
        process = subprocess.Popen(
            [PERDURE, *arguments], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process

    yield spawn_one
    for process in processes:
        process.kill()
        process.communicate()
