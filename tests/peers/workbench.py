"""An MCP server made with the official Python package: well-behaved on demand, and everything else on demand too.

usage: python workbench.py (stdio | http | sse | odd) PORT [LEDGER]
"""

import os
import sys
from pathlib import Path

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ListToolsResult, Tool, ToolAnnotations

bench = MCPServer("workbench")
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
