"""Machines whose clocks jump when they are told to, by libfaketime."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from perdure.proof.schedules import DATABASE
from perdure.store.embedded.account import postgres_account
from perdure.store.embedded.binaries import find_binaries, reachable_binaries
from perdure.store.embedded.server import EmbeddedPostgres

LIBRARIES = "/usr/lib/*/faketime/libfaketime.so.1"
"""Where Debian's package `faketime` has it."""


class JumpingClocks:
    """The clocks of several machines, each of which jumps when it is told to."""

    def __init__(self, folder: Path, library: Path) -> None:
        self._folder = folder
        self._library = library
        self._ahead = Counter[str]()

    def environment(self, machine: str) -> Mapping[str, str]:
        """What a process of this machine is started with. Clocks that only grow go on growing, as everywhere."""
        self._write(machine)
        return {
            "LD_PRELOAD": str(self._library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file(machine)),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def jump(self, machine: str, hours: int) -> None:
        self._ahead[machine] += hours
        self._write(machine)

    def _write(self, machine: str) -> None:
        unfinished = self._file(machine).with_suffix(".new")
        unfinished.write_text(f"{self._ahead[machine] * 3600:+d}\n")
        unfinished.chmod(0o644)
        unfinished.rename(self._file(machine))

    def _file(self, machine: str) -> Path:
        return self._folder / f"{machine}.time"


def clocked_postgres(folder: Path, clocks: JumpingClocks) -> EmbeddedPostgres:
    """A durable server in the folder that lives by the clock of the machine `database`."""
    account = postgres_account(folder / "data")
    real = reachable_binaries(find_binaries(), account, copies=folder).directory
    programs = folder / "programs"
    programs.mkdir()
    set_up = " ".join(f"{name}='{value}'" for name, value in clocks.environment(DATABASE).items())
    for program in real.iterdir():
        told = f"env {set_up} " if program.name == "postgres" else ""
        wrapper = programs / program.name
        wrapper.write_text(f"#!/bin/sh\nexec {told}'{program}' \"$@\"\n")
        wrapper.chmod(0o755)
    return EmbeddedPostgres(folder, binaries=programs)
