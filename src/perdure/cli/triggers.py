"""`perdure triggers`: chats that other programs begin, for whoever has the machine."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from perdure.access.keyring import open_keyring
from perdure.access.signing_in import FIRST_EMAIL
from perdure.access.webhook_signatures import Signing, new_secret
from perdure.cli.users import rows_of, with_pool
from perdure.config.triggers import EVERYTHING, TriggerOptions, Triggers, read_trigger
from perdure.core.errors import InvalidInput, NotFound
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.tables.triggers import DeliveryRow, TriggerRow

app = typer.Typer(no_args_is_help=True)
T = TypeVar("T")
Whose = Annotated[str, typer.Option("--email", help="The user whom the triggers belong to.")]
Count = Annotated[int, typer.Option(min=1, max=200)]
Number = Annotated[int, typer.Argument(help="The number of the delivery.")]
Which = Annotated[str, typer.Argument(help="Its name, or the start of its ID.")]


@app.command("list")
def list_triggers(email: Whose = FIRST_EMAIL) -> None:
    """List a user's triggers."""
    lines = _with_triggers(email, _lines)
    typer.echo("\n".join(lines) or "There are no triggers.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="A name for the trigger.")],
    template: Annotated[
        str, typer.Option(help="The message, with fields such as {{ body.issue.title }}.")
    ] = EVERYTHING,
    signing: Annotated[Signing, typer.Option(help="How the program signs what it sends.")] = Signing.STANDARD,
    secret: Annotated[str, typer.Option(help="The secret it signs with. Generated if omitted.")] = "",
    thread: Annotated[
        str, typer.Option(help="A template. Deliveries for which it gives the same text go to the same chat.")
    ] = "",
    email: Whose = FIRST_EMAIL,
) -> None:
    """Let a program start chats. Prints the path to send to, and the secret."""
    if signing is Signing.SLACK and not secret:
        raise InvalidInput("Slack provides the secret. Pass the app's signing secret with --secret.")
    options = TriggerOptions(name=name, template=template, signing=signing, thread=thread)
    given = secret or new_secret()
    row = _with_triggers(email, lambda triggers: triggers.add(options, given))
    typer.echo(f"path:   /api/v1/in/{row.id}\nsecret: {given}")


@app.command()
def deliveries(
    which: Which, email: Whose = FIRST_EMAIL, count: Annotated[int, typer.Option(min=1, max=200)] = 20
) -> None:
    """List what was sent to a trigger, newest first."""

    async def work(triggers: Triggers) -> list[str]:
        row = await _one(triggers, which)
        found = await triggers.deliveries(row.id, None, before=None, limit=count)
        return [_delivery(each) for each in found]

    typer.echo("\n".join(_with_triggers(email, work)) or "Nothing was sent yet.")


@app.command()
def replay(
    which: Which,
    delivery: Annotated[int, typer.Argument(help="The number of the delivery.")],
    email: Whose = FIRST_EMAIL,
) -> None:
    """Take a delivery once more. A running server starts the chat."""

    async def work(triggers: Triggers) -> None:
        await triggers.replay((await _one(triggers, which)).id, delivery)

    _with_triggers(email, work)
    typer.echo("It begins as soon as a server looks.")


@app.command()
def remove(which: Which, email: Whose = FIRST_EMAIL) -> None:
    """Remove a trigger and its deliveries. Chats that it started are kept."""

    async def work(triggers: Triggers) -> None:
        await triggers.delete((await _one(triggers, which)).id)

    _with_triggers(email, work)
    typer.echo("It is gone.")


def _with_triggers(email: str, work: Callable[[Triggers], Awaitable[T]]) -> T:
    settings = Settings.from_environment()
    keyring = open_keyring(settings.secret_key, settings.data_dir)

    async def run(pool: Pool) -> T:
        return await work(Triggers(await rows_of(pool, email), keyring))

    return with_pool(run)


async def _one(triggers: Triggers, which: str) -> TriggerRow:
    every = await triggers.all()
    found = [row for row in every if which in (str(row.id)[: len(which)], read_trigger(row.options).name)]
    if len(found) != 1:
        raise NotFound(f"{len(found) or 'No'} triggers are called {which!r}. 'perdure triggers list' names them.")
    return found[0]


async def _lines(triggers: Triggers) -> list[str]:
    return [_line(row) for row in await triggers.all()]


def _line(row: TriggerRow) -> str:
    options = read_trigger(row.options)
    stands = "on" if row.enabled else "off"
    return f"{str(row.id)[:8]}  {options.name}  {options.signing}  {stands}  {row.refusal}".rstrip()


def _delivery(row: DeliveryRow) -> str:
    return f"{row.id}  {row.created_at:%Y-%m-%d %H:%M:%S}  {row.state:<7}  {row.chat_id or row.detail}"
