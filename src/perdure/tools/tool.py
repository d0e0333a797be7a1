"""What a tool is: its signature, its effect, where it may be used. The signature is all the model sees."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

import msgspec

from perdure.core.chat import Fence
from perdure.core.ids import ChatId, FileId, ModelName, OrganisationId, UserId
from perdure.core.message import Effort, Message
from perdure.core.parts import Media
from perdure.core.screen import Screen
from perdure.core.timing import TOOL_TIMEOUT
from perdure.core.usage import Usage

P = ParamSpec("P")
S = TypeVar("S")


class Effect(StrEnum):
    """What repeating a call would do."""

    READS = "reads"
    """Nothing: run it again."""
    KEYED = "keyed"
    """Nothing: whoever executes it knows our key and hands back the same run."""
    ONCE = "once"
    """It might happen twice: never repeat it unasked."""


class Mode(StrEnum):
    """What kind of chat asks."""

    ROOT = "root"
    CHILD = "child"
    PLAN = "plan"
    EXPLORE = "explore"


EVERYWHERE = frozenset(Mode)
ACTING = frozenset({Mode.ROOT, Mode.CHILD})
WITH_AGENTS = frozenset({Mode.ROOT, Mode.CHILD, Mode.PLAN})
"""Chats that may have agents of their own, as far as they may stand below others."""


@dataclass(frozen=True, slots=True)
class CallKey:
    """The name of one run of one call. It is ours: providers repeat theirs."""

    chat_id: ChatId
    message: int
    index: int
    run: int = 0

    def __str__(self) -> str:
        return f"{self.chat_id}/{self.message}/{self.index}/{self.run}"


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that a tool hands over, to be kept with the chat."""

    id: FileId
    name: str
    media_type: str
    content: bytes


class ToolFailed(Exception):
    """The call did not work. The text tells the model what to do about it."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call came to: the text the model reads, and files that go with it."""

    text: str
    is_error: bool = False
    files: tuple[NewFile, ...] = ()
    media: tuple[Media, ...] = ()
    model: ModelName | None = None
    """Which model was asked, where the call asked one."""
    usage: Usage | None = None
    cost: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the model that calls was told, and which one it is."""

    model: ModelName | None = None
    effort: Effort | None = None
    system: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    turn: int = 0
    """The number of the message that began the turn."""


async def _nowhere_else(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Where a call runs: for whom, under which key, and how it tells of its progress."""

    key: CallKey
    owner_id: UserId
    organisation_id: OrganisationId
    home: ChatId
    """The chat whose workspace is meant: a child works in that of its root."""
    mode: Mode = Mode.ROOT
    fence: Fence | None = None
    """What its runner believes. A call that changes another chat does so only while this holds."""
    told: Told = Told()
    progress: Callable[[str], None] = lambda _: None
    """Show people more of the result while the call still runs."""
    afresh: Callable[[], None] = lambda: None
    """Forget what progress was shown: it begins again."""
    interrupted: Callable[[], bool] = lambda: False
    """Whether a cancelled call was stopped by a person. A replica that shuts down leaves what runs alone."""
    entered: Callable[[str], Awaitable[bool]] = _nowhere_else
    """Tell which incarnation of a workspace the call reached. Whether it began in another one, which is gone."""
    services: Mapping[type, Any] = field(default_factory=dict[type, Any])
    """What tools reach the rest of the system through, by type."""

    def service(self, kind: type[S]) -> S:
        """The service of this type. A tool that needs one is only offered where there is one."""
        return self.services[kind]


Run = Callable[[ToolContext, Mapping[str, Any]], Awaitable[ToolOutput]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A capability that a model may ask for."""

    name: str
    description: str
    schema: dict[str, Any]
    effect: Effect
    run: Run
    modes: frozenset[Mode] = EVERYWHERE
    exclusive: bool = False
    """Must be the only call of its answer."""
    stop_after: bool = False
    """A turn ends once it succeeded."""
    serial: bool = False
    """Calls of one answer run one after the other."""
    reframes: bool = False
    """Changes what surrounds the prompt: the turn is prepared again after it."""
    timeout: timedelta = TOOL_TIMEOUT
    mcp_server_id: str | None = None
    screen: Screen | None = None
    """What it is for, where the provider describes the tool to its model by itself."""
    asks: bool = False
    """Whether a person is asked before it runs, unless they said otherwise."""


def tool(
    effect: Effect,
    *,
    modes: frozenset[Mode] = EVERYWHERE,
    exclusive: bool = False,
    stop_after: bool = False,
    serial: bool = False,
    reframes: bool = False,
    timeout: timedelta = TOOL_TIMEOUT,
) -> Callable[[Callable[Concatenate[ToolContext, P], Awaitable["str | ToolOutput"]]], Tool]:
    """Make a tool of a function: its name, docstring and annotated parameters are what the model sees."""

    def made(function: Callable[Concatenate[ToolContext, P], Awaitable["str | ToolOutput"]]) -> Tool:
        arguments = _arguments_of(function)

        async def run(context: ToolContext, args: Mapping[str, Any]) -> ToolOutput:
            values = msgspec.convert(args, arguments, strict=True)
            output = await function(context, **msgspec.structs.asdict(values))  # pyright: ignore[reportCallIssue]
            return output if isinstance(output, ToolOutput) else ToolOutput(output)

        return Tool(
            name=function.__name__,
            description=inspect.cleandoc(function.__doc__ or ""),
            schema=_schema_of(arguments),
            effect=effect,
            run=run,
            modes=modes,
            exclusive=exclusive,
            stop_after=stop_after,
            serial=serial,
            reframes=reframes,
            timeout=timeout,
        )

    return made


def _arguments_of(function: Callable[..., Any]) -> type[msgspec.Struct]:
    """The parameters after the context, as a struct that converts and checks them."""
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fields = [
        (p.name, hints[p.name]) if p.default is inspect.Parameter.empty else (p.name, hints[p.name], p.default)
        for p in parameters
    ]
    return msgspec.defstruct(function.__name__, fields, kw_only=True, forbid_unknown_fields=True)


def _schema_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of the arguments, without references and titles: models read it, and so do strict vendors."""
    (schema,), definitions = msgspec.json.schema_components((arguments,), ref_template="#/$defs/{name}")
    return _resolved(schema, definitions)


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Any:
    match schema:
        case {"$ref": str(reference)}:
            return _resolved(definitions[reference.rsplit("/", 1)[-1]], definitions)
        case dict():
            kept: dict[str, Any] = schema  # pyright: ignore[reportUnknownVariableType]
            # The title of a schema is noise; an argument that happens to be called so is not.
            return {
                key: _resolved(value, definitions)
                for key, value in kept.items()
                if not (key == "title" and isinstance(value, str))
            }
        case list():
            items: list[Any] = schema  # pyright: ignore[reportUnknownVariableType]
            return [_resolved(item, definitions) for item in items]
        case _:
            return schema
