"""The schema that all migrations together make, as one text to read and to compare."""

import subprocess

from perdure.store.embedded.binaries import find_binaries

_HEADER = "-- The schema that the migrations make, written by `make schema`. Read it; change it by a new migration.\n\n"


def dumped_schema(url: str) -> str:
    """What is in a database, without what differs from one server to the next."""
    dump = subprocess.run(
        [
            find_binaries().program("pg_dump"),
            "--schema-only",
            "--no-owner",
            "--no-privileges",
            "--no-comments",
            "--exclude-table=migrations",
            url,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    statements = [line for line in dump.stdout.splitlines() if not line.startswith(("--", "SET ", "SELECT ", "\\"))]
    return _HEADER + "\n".join(_single_spaced(statements)) + "\n"


def _single_spaced(lines: list[str]) -> list[str]:
    stripped = "\n".join(lines).strip()
    while "\n\n\n" in stripped:
        stripped = stripped.replace("\n\n\n", "\n\n")
    return stripped.split("\n")
