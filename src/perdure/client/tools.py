"""Tools that run on the client's side: a function's signature is all there is to say."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A function that a model may call. Name, description and schema come from the function itself."""

    name: str
    description: str
    schema: dict[str, Any]
    parameters: type[msgspec.Struct]
    function: Callable[..., Any]

    @property
    def declared(self) -> dict[str, Any]:
        """What the server is told."""
        return {"name": self.name, "description": self.description, "schema": self.schema}

    async def call(self, args: str) -> tuple[Any, bool]:
        """Run it on what the model wrote. The output, and whether it is an error."""
        try:
            given = msgspec.json.decode(args or "{}", type=self.parameters)
        except msgspec.DecodeError as error:
            return f"The arguments are not valid: {error}", True
        values = {name: getattr(given, name) for name in self.parameters.__struct_fields__}
        try:
            return msgspec.to_builtins(await self._run(values)), False
        except Exception as error:  # noqa: BLE001 - whatever a tool does wrong, the model is told
            return f"{type(error).__name__}: {error}", True

    async def _run(self, values: dict[str, Any]) -> Any:
        if inspect.iscoroutinefunction(self.function):
            running: Awaitable[Any] = self.function(**values)
            return await running
        return await asyncio.to_thread(self.function, **values)


def tool(function: Callable[..., Any]) -> ClientTool:
    """Make a function a tool. `Annotated[str, "..."]` describes a parameter, the docstring the tool."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        kind = _described(hints.get(name, Any))
        fields.append((name, kind) if parameter.default is inspect.Parameter.empty else (name, kind, parameter.default))
    parameters = msgspec.defstruct(function.__name__, fields, kw_only=True, forbid_unknown_fields=True)
    return ClientTool(
        name=function.__name__,
        description=inspect.getdoc(function) or "",
        schema=_schema(parameters),
        parameters=parameters,
        function=function,
    )


def _described(hint: Any) -> Any:
    """The type, with bare strings of an annotation as its description."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *extras = get_args(hint)
    return Annotated[(kind, *(Meta(description=extra) if isinstance(extra, str) else extra for extra in extras))]


def _schema(parameters: type[msgspec.Struct]) -> dict[str, Any]:
    (top,), components = msgspec.json.schema_components([parameters], ref_template="#/$defs/{name}")
    name = top["$ref"].rsplit("/", 1)[1]
    schema = {key: value for key, value in components.pop(name).items() if key != "title"}
    return {**schema, "$defs": components} if components else schema
