"""`perdure schedules`: chats that begin by themselves, for whoever has the machine."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from perdure.access.signing_in import FIRST_EMAIL
from perdure.cli.users import rows_of, with_pool
from perdure.config.schedules import Missed, Overlap, ScheduleOptions, Schedules, read_options, upcoming_times
from perdure.config.speech import WorkspaceChoice
from perdure.core.errors import InvalidInput, NotFound
from perdure.core.ids import ChatId, ModelName
from perdure.core.recurrence.due_times import zone_of
from perdure.store.pool import Pool
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import cards, models
from perdure.store.tables.schedules import ScheduleRow

app = typer.Typer(no_args_is_help=True)
Whose = Annotated[str, typer.Option("--email", help="The user whom the schedules belong to.")]
Which = Annotated[str, typer.Argument(help="Its name, or the start of its ID.")]


@app.command("list")
def list_schedules(email: Whose = FIRST_EMAIL) -> None:
    """List a user's schedules and when each is due next."""

    async def work(pool: Pool) -> list[str]:
        return [_line(row) for row in await (await _schedules(pool, email)).all()]

    typer.echo("\n".join(with_pool(work)) or "There are no schedules.")


@app.command()
def times(
    rule: Annotated[str, typer.Argument(help="A cron line, or a recurrence rule such as FREQ=WEEKLY;BYDAY=MO.")],
    zone: Annotated[str, typer.Option(help="The time zone of the rule.")] = "UTC",
    count: Annotated[int, typer.Option(min=1, max=100)] = 5,
) -> None:
    """Show when a rule is due next."""
    place = zone_of(zone)
    for moment in upcoming_times(rule, zone, datetime.now(UTC), count):
        typer.echo(moment.astimezone(place).isoformat(sep=" "))


@app.command()
def add(  # noqa: PLR0913 (one parameter to an option)
    name: Annotated[str, typer.Argument(help="A name for the schedule.")],
    rule: Annotated[str, typer.Argument(help="A cron line, or a recurrence rule such as FREQ=WEEKLY;BYDAY=MO.")],
    prompt: Annotated[str, typer.Argument(help="The message that is sent each time.")],
    zone: Annotated[str, typer.Option(help="The time zone of the rule.")] = "UTC",
    missed: Annotated[
        Missed, typer.Option(help="What to do about times that passed while no server ran.")
    ] = Missed.ONCE,
    overlap: Annotated[Overlap, typer.Option(help="What to do when the last chat is still running.")] = Overlap.QUEUE,
    model: Annotated[str | None, typer.Option(help="The model that answers. The default one if omitted.")] = None,
    template: Annotated[str | None, typer.Option(help="The template of each chat's workspace.")] = None,
    budget: Annotated[float | None, typer.Option(min=0, help="What each chat may cost, in dollars.")] = None,
    chat: Annotated[
        UUID | None, typer.Option(help="The chat to send the message to, instead of a new one each time.")
    ] = None,
    email: Whose = FIRST_EMAIL,
) -> None:
    """Start chats on a schedule."""
    options = ScheduleOptions(
        name=name,
        rule=rule,
        zone=zone,
        prompt=prompt,
        missed=missed,
        overlap=overlap,
        model=None if model is None else ModelName(model),
        workspace=None if template is None else WorkspaceChoice(template),
        budget_limit=None if budget is None else round(budget * 1_000_000),
        chat_id=None if chat is None else ChatId(chat),
    )

    async def work(pool: Pool) -> ScheduleRow:
        rows = await rows_of(pool, email)
        known = await models.listed(OrganisationScope(pool, rows.organisation_id))
        if model is not None and not any(each.enabled and each.name == model for each in known):
            raise InvalidInput(f"There is no model {model!r} that chats may use.")
        if options.chat_id is not None and await cards.owner(pool, options.chat_id) != rows.user_id:
            raise NotFound(f"{email} has no chat {chat}.")
        return await Schedules(rows, datetime.now(UTC)).add(options)

    typer.echo(_line(with_pool(work)))


@app.command()
def pause(which: Which, email: Whose = FIRST_EMAIL) -> None:
    """Pause a schedule."""
    typer.echo(_changed(which, email, paused=True))


@app.command()
def resume(which: Which, email: Whose = FIRST_EMAIL) -> None:
    """Resume a schedule at its next time."""
    typer.echo(_changed(which, email, paused=False))


@app.command()
def run(which: Which, email: Whose = FIRST_EMAIL) -> None:
    """Run a schedule once, now. A running server starts the chat."""

    async def work(pool: Pool) -> None:
        schedules = await _schedules(pool, email)
        await schedules.run_now((await _one(schedules, which)).id)

    with_pool(work)
    typer.echo("It begins as soon as a server looks.")


@app.command()
def history(which: Which, email: Whose = FIRST_EMAIL, count: Annotated[int, typer.Option(min=1, max=200)] = 20) -> None:
    """List a schedule's past runs, newest first."""

    async def work(pool: Pool) -> list[str]:
        schedules = await _schedules(pool, email)
        runs = await schedules.runs((await _one(schedules, which)).id, before=None, limit=count)
        return [f"{run.due_at:%Y-%m-%d %H:%M:%S}  {run.state:<8}  {run.chat_id or run.detail}" for run in runs]

    typer.echo("\n".join(with_pool(work)) or "Nothing was due yet.")


@app.command()
def remove(which: Which, email: Whose = FIRST_EMAIL) -> None:
    """Remove a schedule and its history. Chats that it started are kept."""

    async def work(pool: Pool) -> None:
        schedules = await _schedules(pool, email)
        await schedules.delete((await _one(schedules, which)).id)

    with_pool(work)
    typer.echo("It is gone.")


def _changed(which: str, email: str, *, paused: bool) -> str:
    async def work(pool: Pool) -> ScheduleRow:
        schedules = await _schedules(pool, email)
        return await schedules.change((await _one(schedules, which)).id, {}, paused=paused)

    return _line(with_pool(work))


async def _schedules(pool: Pool, email: str) -> Schedules:
    return Schedules(await rows_of(pool, email), datetime.now(UTC))


async def _one(schedules: Schedules, which: str) -> ScheduleRow:
    every = await schedules.all()
    found = [row for row in every if which in (str(row.id)[: len(which)], read_options(row.options).name)]
    if len(found) != 1:
        raise NotFound(f"{len(found) or 'No'} schedules are called {which!r}. 'perdure schedules list' names them.")
    return found[0]


def _line(row: ScheduleRow) -> str:
    options, short = read_options(row.options), str(row.id)[:8]
    stands = f"next {row.next_at:%Y-%m-%d %H:%M}Z" if row.next_at else "over"
    if row.paused_at:
        stands = f"paused {row.pause_reason}".strip()
    return f"{short}  {options.name}  {' '.join(options.rule.split())}  {options.zone}  {stands}"
