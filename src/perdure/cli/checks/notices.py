"""How replicas hear of each other: whether the server that carries their notices answers."""

import time
from urllib.parse import urlsplit

from perdure.cli.checks.finding import Finding, bad, good
from perdure.core.extras import installed


async def notices(url: str | None) -> Finding:
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
