"""For programs that are asked by hooks: is a request really from the server, and new?"""

import hmac
import time
from collections.abc import Mapping
from datetime import timedelta

from perdure.core.signature import DISPATCH, SIGNATURE, TIMESTAMP, signature
from perdure.core.tasks import BoundedMap

# A signed request that is older was recorded and sent again.
HOOK_SIGNATURE_KEPT = timedelta(minutes=5)
REMEMBERED = 10_000


class Forged(Exception):
    """The request is not from the server, is old, or came before."""


class HookReceiver:
    """Checks requests of one hook. Keep it: it remembers what it has seen.

    A question that is asked again because the connection broke has a new signature and counts as new; the same bytes
    sent twice do not.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._seen = BoundedMap[str, bool](REMEMBERED)

    def check(self, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> None:
        """Raises Forged unless the request is genuine and new. Header names count in any case."""
        found = {name.lower(): value for name, value in headers.items()}
        timestamp, dispatch = found.get(TIMESTAMP.lower(), ""), found.get(DISPATCH.lower(), "")
        given = found.get(SIGNATURE.lower(), "")
        if not f"{timestamp}{dispatch}{given}".isascii():
            raise Forged("The signature is wrong.")
        if not hmac.compare_digest(given, signature(self._secret, timestamp, dispatch, body)):
            raise Forged("The signature is wrong.")
        now = time.time() if now is None else now
        if not timestamp.isdigit() or abs(now - int(timestamp) / 1000) > HOOK_SIGNATURE_KEPT.total_seconds():
            raise Forged("The request is too old.")
        if self._seen.get(given):
            raise Forged("This request was received before.")
        self._seen.keep(given, value=True)
