"""An MCP server made with the official Python package: well-behaved on demand, and everything else on demand too.

usage: python workbench.py (stdio | http | sse | odd) PORT [LEDGER]
"""

import os
import sys
from pathlib import Path

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer, RequestStateSecurity
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListToolsResult,
    Tool,
    ToolAnnotations,
)

# The same after a restart: what was asked before it is answered after it.
bench = MCPServer(
    "workbench", request_state_security=RequestStateSecurity(keys=[b"a key that nobody but tests uses, ever"])
)
LEDGER = Path(sys.argv[3] if len(sys.argv) > 3 else "ledger.txt")


@bench.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@bench.tool()
def note(text: str) -> str:
    """Write a line into the ledger."""
    with LEDGER.open("a") as ledger:
        ledger.write(f"{text}\n")
    return f"noted {text}"


@bench.tool(annotations=ToolAnnotations(destructive_hint=True))
def wipe() -> str:
    """Empty the ledger."""
    LEDGER.write_text("")
    return "wiped"


@bench.tool()
async def hang() -> str:
    """Never answer."""
    await anyio.sleep_forever()
    return ""


@bench.tool()
def die() -> str:
    """End the server."""
    os._exit(1)


@bench.tool()
def fail() -> str:
    """Raise an error."""
    raise ValueError("this was to be expected")


@bench.tool()
async def learn(name: str, ctx: Context) -> str:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    """Have one tool more from now on."""

    def learned() -> str:
        return f"I am {name}"

    bench.add_tool(learned, name=name, description=f"A tool called {name}.")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return f"learned {name}"


def asks(message: str, state: str, **field: object) -> InputRequiredResult:
    """Always under the same key."""
    schema: dict[str, object] = {"type": "object", "properties": {"value": field}, "required": ["value"]}
    asked = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))
    return InputRequiredResult(input_requests={"asked": asked}, request_state=state)


def answer(ctx: Context) -> object:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    """What was filled in; nothing where nobody did."""
    said = (ctx.input_responses or {}).get("asked")
    filled: dict[str, object] = getattr(said, "content", None) or {}
    return filled.get("value")


@bench.tool()
def brew(ctx: Context) -> str | InputRequiredResult:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    """Ask how many cups and then of what, and write down what is brewed."""
    if ctx.request_state is None:
        return asks("How many cups?", "cups", type="integer")
    if ctx.request_state == "cups":
        return asks("Of what?", f"{answer(ctx)} cups", type="string", default="tea")
    return note(f"{ctx.request_state} of {answer(ctx)}")


@bench.tool(annotations=ToolAnnotations(read_only_hint=True))
def guess(ctx: Context) -> str | InputRequiredResult:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
    """Change nothing, and ask something nevertheless."""
    return asks("Which number?", "", type="integer") if ctx.request_state is None else f"It is {answer(ctx)}."


async def odd_tools(_context: object, _parameters: object) -> ListToolsResult:
    """500 tools that could be useful, two of one name, and some whose schemas mean nothing."""
    good = [
        Tool(
            name=f"report_{index}",
            description=f"Report number {index} about {'sales' if index % 2 else 'rainfall'} in region {index}. " * 8,
            input_schema={"type": "object", "properties": {"year": {"type": "integer"}}},
        )
        for index in range(496)
    ]
    schema: dict[str, object] = {"type": "object"}
    return ListToolsResult(
        tools=[
            *good,
            Tool(name="twin", description="The first.", input_schema=schema),
            Tool(name="twin", description="The second.", input_schema=schema),
            Tool(name="broken", input_schema={"type": "object", "properties": {"a": {"type": "strange"}}}),
            Tool(name="elsewhere", input_schema={"type": "object", "$ref": "http://127.0.0.1:1/schema.json"}),
        ]
    )


def main() -> None:
    kind = sys.argv[1]
    if kind == "stdio":
        bench.run()
    elif kind == "http":
        bench.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    elif kind == "sse":
        bench.run("sse", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        odd = Server("odd", on_list_tools=odd_tools)
        uvicorn.run(odd.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[2]))


if __name__ == "__main__":
    main()
