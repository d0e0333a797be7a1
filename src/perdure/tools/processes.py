"""The tools for commands in the workspace."""

import asyncio
import codecs
import contextlib
import logging
from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from perdure.core.errors import PerdureError, WorkspaceRefused
from perdure.core.tasks import BackgroundTasks
from perdure.tools.call import ACTING
from perdure.tools.tool import COMMANDS, Effect, ToolContext, tool
from perdure.tools.workspaces import command_workspace, workspace
from perdure.workspaces import answers, operations
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.wire import ProcessState

LONGEST_COMMAND = 600
_log = logging.getLogger(__name__)


async def stop_command(ctx: ToolContext) -> None:
    """Stop what a replica that is gone had started under this key. Where the workspace does not run, nothing does."""
    row = await ctx.services.workspaces.of_chat(ctx.home)
    if row is not None and row.status == "running":
        client = await command_workspace(ctx, looking=True)
        with contextlib.suppress(WorkspaceRefused):
            if (await client.processes.find(str(ctx.key))).state is ProcessState.RUNNING:
                await end_command(ctx, client)


async def end_command(ctx: ToolContext, client: WorkspaceClient) -> None:
    """Stop the whole line of the command, and note how long that took."""
    ended = await operations.interrupt(client, str(ctx.key))
    if ended.time_to_quiet_ms is not None:
        ctx.services.workspaces.measures.quiet(ended.time_to_quiet_ms / 1000)


@tool(Effect.KEYED, timeout=timedelta(seconds=LONGEST_COMMAND), needs=COMMANDS, end=stop_command)
async def execute(
    ctx: ToolContext,
    command: Annotated[str, Meta(description="A shell command. A trailing & runs it in the background.")],
    workdir: Annotated[str, Meta(description="Where to run it.")] = ".",
    timeout: Annotated[
        int, Meta(ge=1, le=LONGEST_COMMAND, description="Seconds to wait; then it goes on by itself.")
    ] = 10,
    background: Annotated[bool, Meta(description="Do not wait for its end.")] = False,
) -> str:
    """Run a command in the workspace. What outlasts the timeout goes on; process_output shows how it stands."""
    client = await command_workspace(ctx)
    line, _ = operations.split_background(command)
    before = await client.network.last() if client.network else 0
    started = await client.processes.start(line, key=str(ctx.key), workdir=workdir)
    showing = BackgroundTasks(_log)
    showing.start(_show(ctx, client, started.id), "showing what a command prints")
    try:
        process = await operations.execute(
            client,
            str(ctx.key),
            command,
            workdir=workdir,
            timeout=timedelta(seconds=timeout),
            background=background,
            again=lambda: _again(ctx, client),
        )
    except asyncio.CancelledError:
        if ctx.interrupted():
            await asyncio.shield(end_command(ctx, client))
        raise
    finally:
        showing.cancel()
    refused = await client.network.refused(before) if client.network else ()
    return "\n".join([answers.command(process), *map(answers.refusal, refused)])


async def _again(ctx: ToolContext, client: WorkspaceClient) -> WorkspaceClient:
    """A way in after the first one broke. A workspace that died is started; one that somebody stopped stays so."""
    row = await ctx.services.workspaces.of_chat(ctx.home)
    return await command_workspace(ctx, looking=True) if row is not None and row.status == "running" else client


async def _show(ctx: ToolContext, client: WorkspaceClient, process: str) -> None:
    """Let people watch the output."""
    decoder, reached = codecs.getincrementaldecoder("utf-8")("replace"), 0
    try:
        async for frame in client.processes.follow(process):
            if frame.offset > reached:
                ctx.progress(f"\n[… {frame.offset - reached} bytes are not shown …]\n")
            ctx.progress(decoder.decode(frame.content))
            reached = frame.offset + len(frame.content)
    except PerdureError:
        # Only the view is lost: the result is read on its own.
        return


@tool(Effect.READS, needs=COMMANDS)
async def process_output(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The process, as execute named it.")],  # noqa: A002
    wait: Annotated[int, Meta(ge=0, le=60, description="Seconds to wait for its end.")] = 0,
) -> str:
    """Show what a process has printed and how it stands."""
    client = await command_workspace(ctx, looking=True)
    return answers.command(await operations.process_output(client, id, timedelta(seconds=wait)))


@tool(Effect.READS, needs=COMMANDS)
async def process_list(ctx: ToolContext) -> str:
    """List the processes that were started in the workspace."""
    return await operations.process_list(await command_workspace(ctx, looking=True))


@tool(Effect.KEYED, modes=ACTING)
async def process_signal(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The process, as execute named it.")],  # noqa: A002
    signal: Annotated[str, Meta(description="TERM ends it for sure; others are only sent.")] = "TERM",
) -> str:
    """Stop a process of the workspace, or send it a signal."""
    ended = await operations.process_signal(await workspace(ctx), id, signal, key=str(ctx.key))
    return answers.command(ended)
