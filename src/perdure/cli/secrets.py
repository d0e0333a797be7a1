"""`perdure secrets`: what is stored encrypted, for whoever has the machine."""

import typer

from perdure.access.keyring import open_keyring
from perdure.cli.users import with_pool
from perdure.config.rotation import seal_anew
from perdure.settings import Settings

app = typer.Typer(no_args_is_help=True)


@app.callback()
def secrets() -> None:
    """What is stored encrypted."""


@app.command()
def rotate() -> None:
    """Re-encrypt with the first key of PERDURE_SECRET_KEY, so that older keys can be removed."""
    settings = Settings.from_environment()
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    count = with_pool(lambda pool: seal_anew(pool, keyring))
    typer.echo(f"{count} encrypted anew.")
