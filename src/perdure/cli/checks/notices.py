"""How replicas hear of each other: whether the server that carries their notices answers."""

import time
from urllib.parse import urlsplit

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.errors import Misconfigured
from perdure.core.extras import installed
from perdure.core.timing import NOTICE_POLL
from perdure.settings import NO_LISTENING, Settings
from perdure.store.address import place
from perdure.store.postgres_pubsub import carries


async def notices(settings: Settings) -> Finding:
    url, listened = settings.nats_url, settings.listen_url
    if url is None and listened == NO_LISTENING:
        detail = (
            f"nothing carries them: replicas look every {NOTICE_POLL.total_seconds():.0f} seconds, and are late by it"
        )
        return off("notices", detail, "Set PERDURE_LISTEN_URL to the database past the pooler, or PERDURE_NATS_URL.")
    if url is None:
        return good("notices", "travel through the database") if listened is None else await _past_a_pooler(listened)
    if not installed("nats"):
        return bad("notices", "NATS is set, and what speaks it is not installed", "pip install 'perdure[nats]'")
    from perdure.store.nats_pubsub import FAILURES, reach  # noqa: PLC0415

    # Whoever reads the report must not read the password.
    where = urlsplit(url).netloc.rpartition("@")[2]
    started = time.perf_counter()
    try:
        await reach(url)
    except FAILURES as error:
        why = str(error) or "no answer"
        return bad("notices", f"NATS at {where} cannot be reached ({why})", "Check PERDURE_NATS_URL and the network.")
    return good("notices", f"NATS at {where}, answers in {(time.perf_counter() - started) * 1000:.1f} ms")


HEARD_WITHIN = 2.0


async def _past_a_pooler(url: str) -> Finding:
    """Whether notices come by the way that was set up for them alone: without it replicas are late, and say nothing."""
    try:
        where = place(url)
        if await carries(url, patience=HEARD_WITHIN):
            return good("notices", f"travel through the database at {where}")
        problem, remedy = "carries none: it is a pooler in transaction mode", "Name the database itself there."
    except Misconfigured as error:
        said = str(error).replace("PERDURE_DATABASE_URL", "the URL")
        where, problem, remedy = (
            "it",
            f"is of no use: {said}",
            "Name the database past the pooler there, or take it away.",
        )
    return bad("notices", f"PERDURE_LISTEN_URL is set, and {where} {problem}", remedy)
