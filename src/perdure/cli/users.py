"""`perdure users`: who may sign in, for whoever has the machine."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import msgspec
import typer

from perdure.access.actor import PERMISSIONS, Actor, ActorRows, Role, record
from perdure.access.credentials import hashed
from perdure.access.signing_in import FIRST_EMAIL, SignIn, first_account
from perdure.api.wire.people import Email as Address
from perdure.app.foundation import migrate_database
from perdure.core.errors import NotFound, Refused
from perdure.core.timing import SystemClock
from perdure.settings import Settings
from perdure.store.database import open_database
from perdure.store.pool import Pool, open_pool
from perdure.store.tables import organisations, users

app = typer.Typer(no_args_is_help=True)
T = TypeVar("T")


def _address(text: str) -> str:
    try:
        return msgspec.convert(text, Address)
    except msgspec.ValidationError:
        raise typer.BadParameter("must be an email address, such as ada@example.com") from None


Email = Annotated[str, typer.Argument(help="The email address they sign in with.", callback=_address)]
Password = Annotated[
    str,
    typer.Option(
        help="At least 10 characters. Prompted for if omitted.", prompt=True, hide_input=True, confirmation_prompt=True
    ),
]


def with_pool(work: Callable[[Pool], Awaitable[T]]) -> T:
    """Do something with the deployment's database."""

    async def run() -> T:
        settings = Settings.from_environment()
        async with open_database(settings) as url:
            await migrate_database(url)
            async with open_pool(url, size=2, name="perdure cli", prepare=settings.prepared_statements) as pool:
                await first_account(pool)
                return await work(pool)

    return asyncio.run(run())


async def rows_of(pool: Pool, email: str) -> ActorRows:
    """The database on behalf of somebody."""
    found = await users.of_address(pool, email)
    if found is None:
        raise NotFound(f"There is no user with the email {email}.")
    role = Role(found.role)
    actor = Actor(user_id=found.id, organisation_id=found.organisation_id, role=role, permissions=PERMISSIONS[role])
    return ActorRows(actor, pool)


async def owners_rows(pool: Pool) -> ActorRows:
    """The database on behalf of the owner: whoever can read it on this machine is trusted with it."""
    account = await first_account(pool)
    owner = Actor(
        user_id=account.owner,
        organisation_id=account.organisation,
        role=Role.OWNER,
        permissions=PERMISSIONS[Role.OWNER],
    )
    return ActorRows(owner, pool)


@app.command("list")
def list_users() -> None:
    """List users and their roles."""
    for user in with_pool(users.everybody):
        typer.echo(f"{user.email}  {user.role}  {'disabled' if user.disabled else 'active'}")


@app.command()
def add(
    email: Email,
    password: Password,
    role: Annotated[Role, typer.Option(help="The role to give them.")] = Role.MEMBER,
    name: Annotated[str, typer.Option(help="Their display name.")] = "",
) -> None:
    """Add a user."""

    async def work(pool: Pool) -> None:
        organisation = await organisations.first(pool)
        assert organisation is not None
        user_id = await users.add_unless_there(pool, organisation, email, name, role, await hashed(password))
        if user_id is None:
            raise Refused(f"{email} already exists.")
        await record(await owners_rows(pool), "user.add", user_id, email=email, role=role.value)

    with_pool(work)
    typer.echo(f"{email} may sign in.")


@app.command()
def password(
    password: Password,
    email: Email = FIRST_EMAIL,
    unless_set: Annotated[bool, typer.Option("--unless-set", help="Keep the password that they have.")] = False,
) -> None:
    """Set a user's password."""

    async def work(pool: Pool) -> bool:
        if unless_set and await users.has_password(pool, email):
            return False
        user_id = await users.set_password(pool, email, await hashed(password))
        if user_id is None:
            raise NotFound(f"There is no user with the email {email}.")
        await record(await owners_rows(pool), "user.change", user_id, password="changed")  # noqa: S106
        return True

    changed = with_pool(work)
    typer.echo(f"{email} can sign in with the new password." if changed else f"{email} has a password, which stays.")


@app.command()
def link(
    base: Annotated[
        str | None,
        typer.Option(help="The server's URL. Defaults to PERDURE_PUBLIC_URL or PERDURE_BIND."),
    ] = None,
) -> None:
    """Print a one-time sign-in link for the owner."""

    async def work(pool: Pool) -> str:
        rows = await owners_rows(pool)
        await record(rows, "user.sign_in_link", rows.actor.user_id)
        return await SignIn(pool, SystemClock()).link(rows.actor.user_id)

    settings = Settings.from_environment()
    where = base or settings.reached_at(settings.bind)
    typer.echo(f"{where.rstrip('/')}/api/v1/login/link?token={with_pool(work)}")
