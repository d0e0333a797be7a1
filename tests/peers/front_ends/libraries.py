"""Talks to a replica with Python's libraries. `python libraries.py NAME URL TOKEN` writes what it saw as JSON.

It runs in an environment of its own, with what `requirements.txt` names.
"""
# pyright: basic, reportMissingImports=false

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

NAME, URL, TOKEN = sys.argv[1:4]
CALLING = '[[say:I look.]] [[call:weather {"city": "Ulm"}]] [[then]] [[say:It rains.]]'


async def agents() -> Any:
    from agents import (  # noqa: PLC0415
        Agent,
        OpenAIChatCompletionsModel,
        OpenAIResponsesModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )
    from openai import AsyncOpenAI  # noqa: PLC0415

    set_tracing_disabled(True)

    @function_tool
    def weather(city: str) -> str:
        """How it is outside."""
        return f"rain in {city}"

    told: dict[str, list[str]] = {}
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=TOKEN)
    for kind in (OpenAIResponsesModel, OpenAIChatCompletionsModel):
        agent = Agent(name="a", instructions=kind.__name__, model=kind("demo", client), tools=[weather])
        result = await Runner.run(agent, CALLING)
        more = [*result.to_input_list(), {"role": "user", "content": "[[say:And again.]]"}]
        stream = Runner.run_streamed(agent, more)
        async for _ in stream.stream_events():
            pass
        told[kind.__name__] = [result.final_output, stream.final_output]
    return told


async def litellm() -> Any:
    import litellm as library  # noqa: PLC0415

    asked: dict[str, Any] = {"api_base": f"{URL}/v1", "api_key": TOKEN, "model": "openai/demo"}
    whole = await library.acompletion(messages=_says("[[think:Hm.]] [[say:Whole.]]"), **asked)
    streamed = await library.acompletion(messages=_says("[[say:Piece by piece.]]"), stream=True, **asked)
    text = "".join([chunk.choices[0].delta.content or "" async for chunk in streamed])
    response = await library.aresponses(input="[[say:Responded.]]", **asked)
    message = whole.choices[0].message
    return [message.content, message.reasoning_content, text, response.output[-1].content[0].text]


async def fastmcp() -> Any:
    from fastmcp import Client  # noqa: PLC0415
    from fastmcp.client.auth import BearerAuth  # noqa: PLC0415

    async with Client(f"{URL}/mcp", auth=BearerAuth(TOKEN)) as client:
        begun = await client.call_tool("begin_chat", {"message": "[[say:Begun.]]", "model": "demo"})
        chat = begun.structured_content["chat_id"]
        await client.call_tool("continue_chat", {"chat_id": chat, "message": "[[say:Gone on.]]"})
        read = await client.call_tool("read_chat", {"chat_id": chat})
        return [message["text"] for message in read.structured_content["messages"] if message["role"] == "assistant"]


async def signs_in() -> Any:
    """It has no token: it opens the browser that `BROWSER` names, and waits until it is let in."""
    from fastmcp import Client  # noqa: PLC0415

    async with Client(f"{URL}/mcp", auth="oauth") as client:
        begun = await client.call_tool("begin_chat", {"message": "[[say:Let in.]]", "model": "demo"})
        return begun.structured_content["text"]


async def llm() -> Any:
    """Its command, with a file of models as the guide has it, and its own log of what was said."""
    with tempfile.TemporaryDirectory() as folder:
        _set_up(Path(folder))
        command = str(Path(sys.executable).with_name("llm"))
        told: list[str] = []
        for more in (["[[say:From a terminal.]]"], ["--no-stream", "[[say:Whole.]]"], ["-c", "[[say:And on.]]"]):
            pipe = asyncio.subprocess.PIPE
            program = await asyncio.create_subprocess_exec(
                "env", f"LLM_USER_PATH={folder}", command, "-m", "perdure", *more, stdout=pipe
            )
            told.append((await program.communicate())[0].decode().strip())
        return told


def _set_up(folder: Path) -> None:
    model = {"model_id": "perdure", "model_name": "demo", "api_base": f"{URL}/v1", "api_key_name": "perdure"}
    # Every JSON is YAML.
    (folder / "extra-openai-models.yaml").write_text(json.dumps([model]))
    (folder / "keys.json").write_text(json.dumps({"perdure": TOKEN}))


def _says(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


sys.stdout.write(json.dumps(asyncio.run(globals()[NAME]())))
