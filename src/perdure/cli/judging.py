"""What a measurement came to, beside its bars."""

from collections.abc import Sequence
from typing import NoReturn

import typer


def judge(table: str, failures: Sequence[str]) -> NoReturn:
    """Print what was measured, then what missed its bar, and say it with the exit code too."""
    typer.echo(table)
    for failure in failures:
        typer.echo(f"missed: {failure}", err=True)
    raise typer.Exit(1 if failures else 0)
