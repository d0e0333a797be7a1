"""How replicas hear of each other: whether the server that carries their notices answers."""

import time
from urllib.parse import urlsplit

from perdure.cli.checks.finding import Finding, bad, good, off
from perdure.core.extras import installed
from perdure.core.timing import NOTICE_POLL
from perdure.settings import NO_LISTENING, Settings


async def notices(settings: Settings) -> Finding:
    url = settings.nats_url
    if url is None and settings.listen_url == NO_LISTENING:
        detail = (
            f"nothing carries them: replicas look every {NOTICE_POLL.total_seconds():.0f} seconds, and are late by it"
        )
        return off("notices", detail, "Set PERDURE_LISTEN_URL to the database past the pooler, or PERDURE_NATS_URL.")
    if url is None:
        return good("notices", "travel through the database")
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
