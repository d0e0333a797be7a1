"""What a workspace and its skills add to a prompt, as texts whose bytes stay while nothing is pinned anew."""

from collections.abc import Sequence

from perdure.core.text import normalised
from perdure.tools.skills import Skill
from perdure.workspaces.wire import ContextFile, ContextSnapshot

INSTRUCTION_CHARACTERS = 128 * 1024
INTRODUCTION = "These files of the workspace say how to work in it. Follow them unless the user says otherwise."
WITH_WORKSPACE = (
    "This chat has a workspace: a directory of its own with files, a shell and processes, which outlives the "
    "conversation. Tools act there, and paths are relative to its root. One that was stopped starts again on use."
)
WITHOUT_WORKSPACE = (
    "This chat has no workspace yet. Files, searches and commands need one: call create_workspace when the work needs "
    "them, and not before."
)
INDEX = "There are skills for some kinds of work. Before you begin with one of these, read its skill with read_skill:"


def instructions(snapshot: ContextSnapshot) -> str | None:
    """AGENTS.md and friends with their paths; the same text under two names once."""
    distinct: dict[str, ContextFile] = {}
    for file in snapshot.files:
        if file.content.strip():
            distinct.setdefault(file.sha256, file)
    blocks: list[str] = []
    room = INSTRUCTION_CHARACTERS
    for file in distinct.values():
        block = _block(file, room)
        room -= len(block)
        blocks.append(block)
    return "\n\n".join((INTRODUCTION, *blocks)) if blocks else None


def _block(file: ContextFile, room: int) -> str:
    text = normalised(file.content)[: max(0, room)]
    cut = file.truncated or len(text) < len(normalised(file.content))
    more = "\n[There is more: read_file shows it.]" if cut else ""
    return f'<file path="{file.path}">\n{text}{more}\n</file>'


def skill_index(skills: Sequence[Skill]) -> str | None:
    """One line a skill."""
    lines = [f"- {skill.name}: {' '.join(normalised(skill.description).split())}" for skill in skills]
    return "\n".join((INDEX, *lines)) if lines else None
