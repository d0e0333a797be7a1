"""Hooks as an organisation set them up: whom to ask, at which points, and what silence means."""

from enum import StrEnum

from msgspec import Struct

from perdure.core.ids import HookId

HOOK_PURPOSE = "hook"


class HookEvent(StrEnum):
    """The points at which somebody else may have a word."""

    SESSION_START = "session_start"
    USER_PROMPT_SUBMIT = "user_prompt_submit"
    PRE_TOOL_USE = "pre_tool_use"
    POST_TOOL_USE = "post_tool_use"
    PRE_COMPACT = "pre_compact"
    POST_COMPACT = "post_compact"
    STOP = "stop"


class HookOptions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """All about a hook that is no secret."""

    url: str
    events: tuple[HookEvent, ...]
    name: str = ""
    enabled: bool = True
    fail_open: bool = False
    """Whether things go on when it cannot be asked."""
    timeout_ms: int = 1_500
    tools: tuple[str, ...] = ()
    """If given, it is only asked about these tools; a name may end with `*`."""


class Hook(Struct, frozen=True, kw_only=True):
    """One hook of an organisation."""

    id: HookId
    options: HookOptions
    sealed: bytes

    @property
    def title(self) -> str:
        """What people hear of it. Its address may hold credentials, and is for those who set hooks up."""
        return self.options.name or "without a name"

    def about(self, tool: str) -> bool:
        """Whether it is asked about calls of this tool."""
        return not self.options.tools or any(_covers(pattern, tool) for pattern in self.options.tools)


def _covers(pattern: str, tool: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern
