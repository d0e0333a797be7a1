"""Models as they are set up: whether what their rows say makes sense."""

from collections.abc import AsyncIterator

from perdure.agent.configured_models import wrong_options
from perdure.cli.checks.finding import Finding, good, off
from perdure.config.models import stored_options
from perdure.store.connection import Connection
from perdure.store.tables import models

_REMEDY = "Set it anew in the settings of the page, or with PATCH /api/v1/model-settings/{name}"


async def model_findings(connection: Connection) -> AsyncIterator[Finding]:
    rows = await models.of_all(connection)
    sensible = 0
    for row in rows:
        stored = stored_options(row.options)
        wrong = {**stored.wrong, **wrong_options(stored.options)}
        sensible += not wrong
        for option, why in wrong.items():
            yield off("models", f"{row.name}: {option} makes no sense: {why}", _REMEDY.format(name=row.name))
    if sensible == len(rows):
        yield good("models", f"{len(rows)}, and their options make sense" if rows else "none are set up")
