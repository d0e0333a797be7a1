"""How requests to hooks are signed: what proves that they are from somebody who knows the secret, now, about this."""

import hashlib
import hmac

SIGNATURE = "Perdure-Signature"
TIMESTAMP = "Perdure-Timestamp"
DISPATCH = "Perdure-Dispatch"
EVENT = "Perdure-Event"


def signature(secret: str, timestamp: str, dispatch: str, body: bytes) -> str:
    """The signature of a body. `timestamp` is in milliseconds; `dispatch` names the question."""
    signed = b".".join((timestamp.encode(), dispatch.encode(), body))
    return f"v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
