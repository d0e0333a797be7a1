"""The tools by which an agent says something later: schedules of whoever asked for the turn."""

from typing import Annotated, Literal

from msgspec import Meta

from perdure.tools.call import Mode
from perdure.tools.tool import Effect, ToolContext, tool

WITH_PEOPLE = frozenset({Mode.ROOT})


@tool(Effect.KEYED, modes=WITH_PEOPLE, asks=True)
async def add_schedule(
    ctx: ToolContext,
    name: Annotated[str, Meta(min_length=1, max_length=200, description="A few words that people know it by.")],
    rule: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=500,
            description="A cron line such as 0 9 * * 1-5, or a recurrence rule such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9. "
            "For one time only: FREQ=DAILY;COUNT=1 after a line DTSTART:20260131T090000.",
        ),
    ],
    prompt: Annotated[str, Meta(min_length=1, max_length=20_000, description="What is said then, complete in itself.")],
    zone: Annotated[
        str, Meta(max_length=100, description="The user's time zone, such as Europe/Berlin. Ask where you do not know.")
    ] = "UTC",
    chat: Annotated[
        Literal["new", "this"], Meta(description="Whether a new chat begins each time, or it is said in this chat.")
    ] = "new",
) -> str:
    """Have something said to an agent at a later time, or again and again, also when nobody is there. Only where the
    user wants that."""
    return await ctx.services.schedules.add(ctx, name, rule, prompt, zone, here=chat == "this")


@tool(Effect.READS, modes=WITH_PEOPLE)
async def list_schedules(ctx: ToolContext) -> str:
    """List the user's schedules: what begins by itself, and when next."""
    return await ctx.services.schedules.listed(ctx)


@tool(Effect.KEYED, modes=WITH_PEOPLE, asks=True)
async def remove_schedule(
    ctx: ToolContext,
    schedule: Annotated[str, Meta(min_length=8, max_length=36, description="Its id, as list_schedules shows it.")],
) -> str:
    """Remove one of the user's schedules for good."""
    return await ctx.services.schedules.remove(ctx, schedule)
