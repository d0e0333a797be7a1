"""`perdure sim`: a provider that needs no key, for the demo, for tests and for trying things out."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from perdure.core.errors import Misconfigured
from perdure.sim.answer_choice import DEMO_RATE
from perdure.sim.server import Simulator, load_scripts, serve


def command(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 picks a free one.", min=0, max=65535)] = 8090,
    script: Annotated[
        Path | None, typer.Option(help="A JSON or TOML file of scripts.", exists=True, dir_okay=False)
    ] = None,
    rate: Annotated[
        float, typer.Option(help="Tokens per second of the model `demo`; 0 is as fast as possible.", min=0)
    ] = DEMO_RATE,
) -> None:
    try:
        scripts = load_scripts(script) if script else ()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{script} holds no scripts: {error}.") from error
    try:
        serve(Simulator(host=host, port=port, scripts=scripts, rate=rate or None), typer.echo)
    except OSError as error:
        why = error.strerror or str(error)
        raise Misconfigured(f"Cannot listen on {host}:{port}: {why}. Choose another port with --port.") from error
