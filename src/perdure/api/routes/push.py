"""Browsers that want to be told what happens while their page is closed."""

import base64
import binascii
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.inbox import PushBody, PushKey, PushSubscription
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.extras import require
from perdure.store.tables import push

routes = Routes("inbox")

_AUTH_BYTES = 16


@routes.get("/push/key")
async def push_key(caller: Caller) -> PushKey:
    """The key that a browser subscribes with."""
    require("push")
    return PushKey(await caller.services.vapid.public())


@routes.post("/push/subscriptions", status=201)
async def subscribe(caller: Caller, body: PushBody) -> PushSubscription:
    """Push to this browser when a chat of yours finished, failed or needs you."""
    _check(body)
    keys = msgspec.json.encode({"p256dh": body.keys.p256dh, "auth": body.keys.auth}).decode()
    added = await push.add(caller.rows, body.endpoint, keys)
    if added is None:
        raise NotFound("There is no such user.")
    return PushSubscription(added)


@routes.delete("/push/subscriptions/{subscription_id}")
async def unsubscribe(caller: Caller, subscription_id: UUID) -> None:
    """Push no more to this browser."""
    if await push.remove(caller.rows, subscription_id) is None:
        raise NotFound("There is no such subscription.")


def _check(body: PushBody) -> None:
    """Refuse what no browser gives: keys that are none, and bare addresses."""
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _bytes(body.keys.p256dh))
        if len(_bytes(body.keys.auth)) != _AUTH_BYTES:
            raise ValueError
    except (ValueError, binascii.Error):
        raise InvalidInput("The keys are not a browser's.", Validation("keys", "not the keys of a browser")) from None
    if _bare(body.endpoint):
        raise InvalidInput("The endpoint is not a push service's.", Validation("endpoint", "names no host"))


def _bare(endpoint: str) -> bool:
    """Whether it names an address instead of a host, which no push service does."""
    try:
        ip_address(urlsplit(endpoint).hostname or "")
    except ValueError:
        return False
    return True


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
