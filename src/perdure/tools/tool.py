"""What a tool is: its signature, its effect, where it may be used. The signature is all the model sees."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Concatenate, ParamSpec, TypedDict, Unpack, get_type_hints

import msgspec

from perdure.core.action import CallKind
from perdure.core.screen import Screen
from perdure.core.timing import TOOL_TIMEOUT
from perdure.tools.call import EVERYWHERE, CallContext, Mode, ToolFailed, ToolOutput
from perdure.tools.services import ToolServices

P = ParamSpec("P")


class Effect(StrEnum):
    """What repeating a call would do."""

    READS = "reads"
    """Nothing: run it again."""
    KEYED = "keyed"
    """Nothing: whoever executes it knows our key and hands back the same run."""
    ONCE = "once"
    """It might happen twice: never repeat it unasked."""


class Need(StrEnum):
    """What has to be there for a tool to be offered."""

    AGENTS = "agents"
    """The chat may have agents: it does not stand too far below others."""
    COMMANDS = "commands"
    """Commands can be kept from changing anything where they must not."""
    ADVISOR = "advisor"
    """An admin set an advisor up."""
    PERMISSION = "permission"
    """The workspace's network is by permission: what is added to requests outside can be used."""
    MEMORY = "memory"
    """The owner lets their agents keep something for later chats."""


AGENTS = frozenset({Need.AGENTS})
COMMANDS = frozenset({Need.COMMANDS})
ADVISOR = frozenset({Need.ADVISOR})
PERMISSION = frozenset({Need.PERMISSION})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext(CallContext):
    """A call, and what it reaches the rest of the system through."""

    services: ToolServices


Run = Callable[[ToolContext, Mapping[str, Any]], Awaitable[ToolOutput]]
End = Callable[[ToolContext], Awaitable[None]]


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
    answered_by: CallKind = CallKind.LOCAL
    """Who answers a call of it."""
    needs: frozenset[Need] = frozenset()
    end: End | None = None
    """Ends what a call left running outside when its replica is gone."""


class Facts(TypedDict, total=False):
    """What is said of a tool besides its signature and its effect, as `Tool` has it."""

    modes: frozenset[Mode]
    exclusive: bool
    stop_after: bool
    serial: bool
    reframes: bool
    timeout: timedelta
    asks: bool
    answered_by: CallKind
    needs: frozenset[Need]
    end: End


def tool(
    effect: Effect, **facts: Unpack[Facts]
) -> Callable[[Callable[Concatenate[ToolContext, P], Awaitable["str | ToolOutput"]]], Tool]:
    """Make a tool of a function: its name, docstring and annotated parameters are what the model sees."""

    def made(function: Callable[Concatenate[ToolContext, P], Awaitable["str | ToolOutput"]]) -> Tool:
        arguments = _arguments_of(function)

        async def run(context: ToolContext, args: Mapping[str, Any]) -> ToolOutput:
            try:
                values = msgspec.convert(args, arguments, strict=True)
            except msgspec.ValidationError as error:
                raise ToolFailed(f"The arguments are not valid: {error}. Call the tool again, corrected.") from error
            output = await function(context, **msgspec.structs.asdict(values))  # pyright: ignore[reportCallIssue]
            return output if isinstance(output, ToolOutput) else ToolOutput(output)

        return Tool(
            name=function.__name__,
            description=inspect.cleandoc(function.__doc__ or ""),
            schema=_schema_of(arguments),
            effect=effect,
            run=run,
            **facts,
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
