"""The transcript as an encoder reads it: turns that alternate, every call answered, every file resolved."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from perdure.core.message import ProviderMetadata, Reasoning, Text, ToolCall, ToolResult
from perdure.providers.projection.media import Attachment


@dataclass(frozen=True, slots=True)
class UserTurn:
    parts: tuple[Text | Attachment, ...]


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What the model said. Provider-executed results follow their calls here, and carry metadata it can read."""

    parts: tuple[Text | Reasoning | ToolCall | ToolResult, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer to the call it follows."""

    call_id: str
    tool: str
    text: str
    error: bool = False
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """The answers to every local call of the assistant turn before it, in call order."""

    answers: tuple[Answer, ...]


Turn = UserTurn | AssistantTurn | ToolTurn


def thoughtful(turns: Iterable[Turn], before: bool | None = None, *, after_tools: bool = False) -> bool | None:
    """Whether the exchange under way began with a thought; None where the model has said nothing in it yet.

    What the user says between a call's answers and the next step belongs to the exchange.
    """
    began = before
    for turn in turns:
        match turn:
            case UserTurn():
                began = began if after_tools else None
            case AssistantTurn(parts=parts):
                began = isinstance(parts[0], Reasoning) if began is None else began
            case ToolTurn():
                pass
        after_tools = isinstance(turn, ToolTurn)
    return began


Kept = Callable[[Reasoning | ToolResult, dict[str, Any]], bool]
"""Whether a part can be told again to the API that made it, with what is kept of it."""


def _never(_: Reasoning | ToolResult, __: dict[str, Any]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Target:
    """What the projection must know of the API and the model it projects for."""

    dialect: str
    model: str
    images: bool = True
    documents: bool = False
    tools: bool = True
    """Without tools in the request, old exchanges with tools become text."""
    call_id_length: int = 64
    continues_paused: bool = False
    """Whether it goes on from an assistant turn that it paused itself."""
    reasoning_as_text: bool = False
    """Whether unsigned reasoning is welcome."""
    sound: Kept = _never

    def reads(self, metadata: ProviderMetadata | None) -> bool:
        """Whether metadata comes from this very model, and so may be shown to it."""
        return metadata is not None and metadata.dialect == self.dialect and metadata.model == self.model

    def replays(self, part: Reasoning | ToolResult) -> bool:
        """Whether a thought, or what the provider found by itself, comes from this very model and can go back to it."""
        return self.reads(part.provider_metadata) and self.sound(part, self.data(part.provider_metadata))

    def data(self, metadata: ProviderMetadata | None) -> dict[str, Any]:
        return metadata.data if metadata is not None and self.reads(metadata) else {}
