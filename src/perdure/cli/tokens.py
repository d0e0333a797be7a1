"""`perdure tokens`: secrets for programs, for whoever has the machine."""

from datetime import timedelta
from typing import Annotated

import typer

from perdure.access.actor import Scope, record
from perdure.access.credentials import HINT_LENGTH, TOKEN_PREFIX, digest, mint
from perdure.access.signing_in import FIRST_EMAIL
from perdure.cli.users import owners_rows, with_pool
from perdure.core.errors import NotFound
from perdure.store.pool import Pool
from perdure.store.tables.tokens import add as add_token

app = typer.Typer(no_args_is_help=True)


@app.callback()
def tokens() -> None:
    """Secrets for programs."""


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What it is for.")],
    email: Annotated[str, typer.Option(help="The user whom it belongs to.")] = FIRST_EMAIL,
    scope: Annotated[list[Scope] | None, typer.Option(help="What it can be used for. Defaults to `chat`.")] = None,
    days: Annotated[
        int | None, typer.Option(help="Days until it expires. By default it never does.", min=1, max=3_650)
    ] = None,
) -> None:
    """Create a token and print its secret once."""
    typer.echo(made_token(name, email, *(scope or ()), days=days))


def made_token(name: str, email: str, *scopes: Scope, days: int | None = None) -> str:
    """The secret of a new token; one for `chat` where no scope is named."""
    secret = mint(TOKEN_PREFIX)

    async def work(pool: Pool) -> None:
        wanted = [scope.value for scope in scopes or (Scope.CHAT,)]
        kept = None if days is None else timedelta(days=days)
        token_id = await add_token(pool, email, digest(secret), name, secret[-HINT_LENGTH:], wanted, kept)
        if token_id is None:
            raise NotFound(f"There is no user with the email {email}.")
        await record(await owners_rows(pool), "token.add", token_id, name=name, scopes=wanted, email=email)

    with_pool(work)
    return secret
