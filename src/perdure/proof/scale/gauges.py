"""What can be read off a running process and off a Postgres without asking the product."""

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import asyncpg
from asyncpg import Record

from perdure.proof.evidence import sql

COMMIT = "commit"
CONFIGURATION = "configuration"
BACKGROUND = "background"
TURN = "turn"
_CONFIGURATION = re.compile(
    r"\b(FROM|JOIN|INTO|UPDATE)\s+(settings|providers|model_settings|provider_keys|user_settings|skills|prices)\b"
)
_BACKGROUND = re.compile(
    r"\b(FROM|JOIN|INTO|UPDATE)\s+(replicas|segments|search_\w+|inbox|departures|budget_\w+|pg_\w+)\b"
    r"|^SELECT pg_notify|title_source = CASE|action_deadline_at <= now|p\.action LIKE|= ANY\(\$1::uuid\[\]\)"
    r"|JOIN journal j ON j\.chat_id = c\.id"
    r"|AS p\(user_id, chat_id\)|current_setting\(|typeinfo_tree|pg_advisory"
)
"""Leases, sweeps, polls, stored parts, search, titles and the like: done beside turns, for many chats at once."""


def cpu_seconds(pid: int) -> float:
    """Processor time of another process: Linux names its clock by its number."""
    return time.clock_gettime(~pid << 3 | 2)


def family_seconds(pid: int) -> float:
    """Processor time of a process and of its children, those that have ended included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    total = cpu_seconds(pid) + ended
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(OSError):
            total += cpu_seconds(int(child))
    return total


def memory_mebibytes(pid: int) -> float:
    """Memory of a process that is resident and not shared with a file."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


def resident_mebibytes(pid: int) -> float:
    """All memory of a process that is resident, files that are mapped into it included."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


@dataclass(frozen=True, slots=True)
class Statement:
    """How often one statement ran, the rows it gave back, and whether it wrote anything durable."""

    text: str
    calls: int
    rows: int
    records: int

    @property
    def kind(self) -> str:
        if "swap AS (" in self.text:
            return COMMIT
        if _CONFIGURATION.search(self.text):
            return CONFIGURATION
        return BACKGROUND if _BACKGROUND.search(self.text) else TURN


Statements: TypeAlias = Mapping[str, Statement]


async def statements(url: str) -> dict[str, Statement]:
    """What was run so far, by text."""
    connection = await asyncpg.connect(url)
    try:
        rows: list[Record] = await connection.fetch(sql("statements"))
        return {row["query"]: Statement(row["query"], row["calls"], row["rows"], row["records"]) for row in rows}
    finally:
        await connection.close()


def since(before: Statements, after: Statements) -> list[Statement]:
    """What was run between two looks, the most frequent first."""
    nothing = Statement("", 0, 0, 0)
    found = [
        Statement(
            text,
            now.calls - before.get(text, nothing).calls,
            now.rows - before.get(text, nothing).rows,
            now.records - before.get(text, nothing).records,
        )
        for text, now in after.items()
    ]
    return sorted((each for each in found if each.calls), key=lambda each: -each.calls)
