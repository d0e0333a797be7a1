"""`perdure doctor`: look at everything that could be wrong, and say what to do."""

import asyncio
import sys
from collections.abc import AsyncIterator

import typer

from perdure.cli.checks.database import database_findings
from perdure.cli.checks.environment import environment_findings
from perdure.cli.checks.finding import Finding, Verdict, bad
from perdure.cli.checks.notices import notices
from perdure.cli.checks.objects import storage
from perdure.core.errors import Misconfigured
from perdure.settings import Settings
from perdure.store.database import open_database

_MARKS = {
    Verdict.GOOD: ("✓", typer.colors.GREEN),
    Verdict.OFF: ("!", typer.colors.YELLOW),
    Verdict.BAD: ("✗", typer.colors.RED),
}


def command() -> None:
    """Exit code 1 when something does not work."""
    found = asyncio.run(_report(Settings.from_environment()))
    raise typer.Exit(1 if Verdict.BAD in found else 0)


async def _report(settings: Settings) -> set[Verdict]:
    found: set[Verdict] = set()
    async for finding in findings(settings):
        found.add(finding.verdict)
        _show(finding)
    return found


async def findings(settings: Settings) -> AsyncIterator[Finding]:
    for finding in environment_findings(settings):
        yield finding
    try:
        async with open_database(settings) as url:
            async for finding in database_findings(url, settings):
                yield finding
    except Misconfigured as error:
        yield bad("database", str(error), "")
    yield await notices(settings)
    yield await storage(settings)


def _show(finding: Finding) -> None:
    mark, colour = _MARKS[finding.verdict]
    typer.echo(f"{typer.style(mark, fg=colour)} {finding.subject}: {finding.detail}", color=sys.stdout.isatty())
    if finding.remedy:
        typer.echo(f"    {finding.remedy}")
