"""`perdure sim`: a provider that needs no key, for the demo, for tests and for trying things out."""

from pathlib import Path
from typing import Annotated

import typer

from perdure.sim.director import DEMO_RATE
from perdure.sim.server import Simulator
from perdure.sim.serving import load_scripts, serve


def command(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes a free one.")] = 8090,
    script: Annotated[Path | None, typer.Option(help="A JSON or TOML file of scripts.", exists=True)] = None,
    rate: Annotated[
        float, typer.Option(help="Tokens a second of the model `demo`; 0 is as fast as can be.")
    ] = DEMO_RATE,
) -> None:
    scripts = load_scripts(script) if script else ()
    serve(Simulator(host=host, port=port, scripts=scripts, rate=rate or None), typer.echo)
