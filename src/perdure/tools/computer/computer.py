"""The tool `computer`, for a screen that the chat's workspace has.

A runner is a command of the workspace's template. It finds the actions in its environment, carries them out, and writes
a picture of the screen where it is told to. It runs once per call, under the call's key.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

from perdure.core.errors import WorkspaceLost, WorkspaceRefused
from perdure.core.ids import FileId
from perdure.tools.call import ACTING, NewFile, ToolFailed, ToolOutput
from perdure.tools.computer.actions import AnyAction, actions_of
from perdure.tools.processes import end_command, stop_command
from perdure.tools.tool import Effect, Tool, ToolContext
from perdure.tools.workspaces import changing_workspace
from perdure.workspaces import answers
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Computer
from perdure.workspaces.operations import LOST
from perdure.workspaces.wire import Process, ProcessState

COMPUTER_CALL = timedelta(minutes=1)
NAME = "computer"
PICTURE = "image/png"
PICTURE_BYTES = 10 * 1024 * 1024
ACTIONS_BYTES = 64 * 1024
# Pictures stay for a while: a call that is taken up by another replica reads its own again.
TIDY = 'mkdir -p "$COMPUTER_FOLDER" && find "$COMPUTER_FOLDER" -type f -mmin +60 -delete; '


def computer(runner: Computer) -> Tool:
    """The tool for one screen. The provider has the words for its model, so that there is no schema to show."""

    async def run(ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:
        return await _acted(ctx, runner, actions_of(arguments, runner.screen))

    return Tool(
        name=NAME,
        description="Use the screen of the workspace.",
        schema={"type": "object"},
        effect=Effect.KEYED,
        run=run,
        modes=ACTING,
        serial=True,
        timeout=COMPUTER_CALL,
        screen=runner.screen,
        asks=True,
        end=stop_command,
    )


async def _acted(ctx: ToolContext, runner: Computer, actions: tuple[AnyAction, ...]) -> ToolOutput:
    said = msgspec.json.encode(actions)
    if len(said) > ACTIONS_BYTES:
        raise ToolFailed("That is too much at once. Type long texts in pieces.")
    client = await changing_workspace(ctx)
    picture = uuid5(NAMESPACE_URL, f"{ctx.key}/screen")
    folder = f"{(await client.health()).home}/.perdure/screens"
    path = f"{folder}/{picture}.png"
    environment = {
        "COMPUTER_ACTIONS": said.decode(),
        "COMPUTER_FOLDER": folder,
        "COMPUTER_SCREENSHOT": path,
        "COMPUTER_WIDTH": str(runner.screen.width),
        "COMPUTER_HEIGHT": str(runner.screen.height),
    }
    process = await client.processes.start(TIDY + runner.command, key=str(ctx.key), environment=environment)
    try:
        ended = await _ended(client, process)
    except asyncio.CancelledError:
        if ctx.interrupted():
            await asyncio.shield(end_command(ctx, client))
        raise
    if ended.exit_code != 0:
        raise ToolFailed(f"The screen cannot be used.\n{answers.command(ended)}\nGo on without it, or tell the user.")
    shown = NewFile(FileId(picture), "screen.png", PICTURE, await _picture(client, path))
    return ToolOutput(answers.output(ended).strip() or "Done.", files=(shown,))


async def _ended(client: WorkspaceClient, process: Process) -> Process:
    if process.state is ProcessState.RUNNING:
        process = await client.processes.wait(process.id, COMPUTER_CALL)
    if process.state is ProcessState.LOST:
        raise WorkspaceLost(LOST)
    return await client.processes.stop(process.id, timedelta()) if process.state is ProcessState.RUNNING else process


async def _picture(client: WorkspaceClient, path: str) -> bytes:
    try:
        content = await client.files.content(path, PICTURE_BYTES)
    except WorkspaceRefused as error:
        raise ToolFailed(f"There is no screenshot: {error} Tell the user.") from error
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ToolFailed("The screenshot is not an image. Tell the user.")
    return content
