"""How a measurement ends: what was measured, what missed its bar, and the exit code that says so."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer

from perdure.proof.scale.bars import Bar, Bars, lines


def judge(table: str, failures: Sequence[str]) -> NoReturn:
    """Print what was measured, then what missed its bar, and say it with the exit code too."""
    typer.echo(table)
    for failure in failures:
        typer.echo(f"missed: {failure}", err=True)
    raise typer.Exit(1 if failures else 0)


Numbers = Annotated[Path | None, typer.Option("--json", help="Where to write the numbers.")]


def barred(bars: Sequence[Bar], json: Path | None) -> NoReturn:
    """Print what was measured beside what was promised, and say with the exit code whether it was kept."""
    typer.echo("\n".join(lines(bars)))
    if json is not None:
        json.write_bytes(msgspec.json.format(msgspec.json.encode(Bars(list(bars)))))
    raise typer.Exit(0 if all(bar.met for bar in bars) else 1)
