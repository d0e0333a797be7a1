"""The place for what a workspace tells its agents: instructions, an index of skills, tool servers; with hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from perdure.workspaces.agent.files import read_bytes
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import Problem

FILE_BYTES = 64 * 1024
MOST_SKILLS = 100
DESCRIPTION_CHARACTERS = 1024
BROKEN = "Its header is broken: it begins with --- and is never closed. Read it to see what it is for."
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md")
SKILL_FOLDERS = (".agents/skills", ".claude/skills", ".perdure/skills", "skills")


class Context:
    """Reads the context afresh each time; small files only, none through a link that leads outside."""

    def __init__(self, places: Places) -> None:
        self._places = places

    async def snapshot(self) -> dict[str, object]:
        files = [file for path in self._instruction_paths() for file in self._file(path)]
        servers = [file for path in (".mcp.json",) for file in self._file(path)]
        return {"files": files, "skills": list(self._skills()), "mcp": servers}

    def _instruction_paths(self) -> list[str]:
        """The tree's own, those of repositories one level down, and the user's in the kept home."""
        below = [
            name for name in _directories(self._places.tree) if os.path.lexists(f"{self._places.tree}/{name}/.git")
        ]
        nested = [f"{name}/{instruction}" for name in below for instruction in INSTRUCTIONS]
        return [*(f"{self._places.home}/.perdure/{name}" for name in INSTRUCTIONS[:1]), *INSTRUCTIONS, *nested]

    def _file(self, path: str) -> Iterator[dict[str, object]]:
        content = self._read(path, 16 * FILE_BYTES)
        if content is not None:
            yield {
                "path": path,
                "content": content[:FILE_BYTES].decode("utf-8", "replace"),
                "truncated": len(content) > FILE_BYTES,
                "sha256": hashlib.sha256(content).hexdigest(),
            }

    def _skills(self) -> Iterator[dict[str, object]]:
        seen: set[str] = set()
        for root in (self._places.tree, self._places.home):
            for folder in SKILL_FOLDERS:
                for name in _directories(f"{root}/{folder}"):
                    path = f"{root}/{folder}/{name}/SKILL.md"
                    content = self._read(path, FILE_BYTES)
                    if content is not None and name not in seen and len(seen) < MOST_SKILLS:
                        seen.add(name)
                        yield skill(name, self._places.shown(path), content)

    def _read(self, path: str, most: int) -> bytes | None:
        try:
            with self._places.find(path) as place:
                return read_bytes(place, path, most)
        except Problem:
            return None


def skill(folder: str, path: str, content: bytes) -> dict[str, object]:
    """One entry of the index, from the block between the first two `---` lines."""
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    header: dict[str, str] = {}
    closed = "---" in lines[1:]
    if lines[0].strip() == "---" and closed:
        for line in lines[1 : lines.index("---", 1)]:
            name, _, value = line.partition(":")
            header[name.strip()] = value.strip().strip("\"'")
    unknown = BROKEN if lines[0].strip() == "---" and not closed else ""
    return {
        "name": header.get("name") or folder,
        "description": header.get("description", unknown)[:DESCRIPTION_CHARACTERS],
        "path": path,
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _directories(path: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name)))
    except OSError:
        return []
