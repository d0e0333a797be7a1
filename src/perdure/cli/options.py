"""Options that several commands have."""

from typing import Annotated

import typer

Url = Annotated[
    str | None, typer.Option(envvar="PERDURE_URL", help="The server's URL. Defaults to the server on this machine.")
]
Token = Annotated[
    str | None, typer.Option(envvar="PERDURE_TOKEN", help="An API token for that server.", show_default=False)
]
