"""Skills in a workspace: the index as the chat pinned it, the files as they are now."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from perdure.core.errors import WorkspaceRefused
from perdure.tools.call import ToolFailed
from perdure.tools.skills import Asker, Skill
from perdure.workspaces import wire
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.service import Workspaces

MOST_BYTES = 4 * 1024 * 1024
"""More is read than is shown, so that what is cut can be said to be."""


class WorkspaceSkills:
    """The `SKILL.md` folders of a chat's workspace."""

    def __init__(self, contexts: Contexts, workspaces: Workspaces) -> None:
        self._contexts = contexts
        self._workspaces = workspaces

    async def index(self, asker: Asker) -> Sequence[Skill]:
        return [Skill(skill.name, skill.description) for skill in await self._pinned(asker)]

    async def read(self, asker: Asker, name: str, path: str) -> bytes | None:
        skill = next((each for each in await self._pinned(asker) if each.name == name), None)
        row = await self._workspaces.of_chat(asker.home)
        if skill is None or row is None or not _within(path):
            return None
        client = await self._workspaces.client(row)
        try:
            return await client.files.content(str(PurePosixPath(skill.path).parent / path), MOST_BYTES)
        except WorkspaceRefused as refusal:
            if refusal.code != "not_found":
                raise ToolFailed(f"{path} cannot be read: {refusal}") from refusal
            return None

    async def _pinned(self, asker: Asker) -> Sequence[wire.Skill]:
        pinned = await self._contexts.known(asker.chat_id, asker.home) if asker.has_workspace else None
        return pinned.skills if pinned else ()


def _within(path: str) -> bool:
    steps = PurePosixPath(path)
    return not steps.is_absolute() and ".." not in steps.parts
