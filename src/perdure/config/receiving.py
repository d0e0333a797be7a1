"""Taking in what programs elsewhere send: signed, kept once under its name, and left for a replica as a row."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from msgspec import Struct

from perdure.access.keyring import Keyring
from perdure.access.webhook_signatures import NAMED_BY, SignedRequest, Signing, check_signature
from perdure.config.triggers import TRIGGER_PURPOSE, TriggerOptions, read_trigger
from perdure.core.errors import InvalidInput, NotFound, Refused, Unauthenticated, Unavailable, Validation
from perdure.core.ids import TriggerId
from perdure.core.payload import BadPayload, Payload, read_payload
from perdure.core.text import storable
from perdure.core.timing import Clock
from perdure.store.pool import Pool
from perdure.store.tables import triggers
from perdure.store.tables.triggers import DeliveryState, Incoming, Received

_KEPT = ("content-type", "user-agent", "webhook-id", "idempotency-key")
_NOT_KEPT = ("x-hub-signature", "x-slack-signature", "x-forwarded-", "x-real-ip", "x-csrf-token")
_MOST_HEADERS, _HEADER_LENGTH, _NAME_LENGTH = 40, 1_000, 200


class Taken(Struct, frozen=True):
    """What is answered to whoever sent it."""

    signing: Signing
    delivery: Received | None = None
    state: DeliveryState = DeliveryState.DUE
    challenge: str | None = None
    """What Slack wants to hear back before it uses an address."""


class Receiving:
    """The door for programs. They are nobody's sessions: all they have is a secret of the trigger."""

    def __init__(self, pool: Pool, keyring: Keyring, clock: Clock) -> None:
        self._pool = pool
        self._keyring = keyring
        self._clock = clock

    async def receive(
        self, trigger_id: TriggerId, headers: Mapping[str, str], token: str, read: Callable[[], Awaitable[bytes]]
    ) -> Taken:
        """Keep what is sent, if it is signed. The body is read only where somebody waits for it."""
        found = await triggers.receiver(self._pool, trigger_id)
        if found is None or not found.enabled:
            raise NotFound("Trigger not found, or it is turned off.")
        options, body = read_trigger(found.options), await read()
        secret = self._keyring.open(found.secret, TRIGGER_PURPOSE)
        try:
            check_signature(options.signing, secret, SignedRequest(headers, token, body), self._clock.now().timestamp())
        except Unauthenticated as error:
            await triggers.refused(self._pool, trigger_id, str(error))
            raise
        if found.removed:
            raise Refused("The user who created the trigger was removed.")
        return await self._kept(trigger_id, options, headers, body)

    async def _kept(
        self, trigger_id: TriggerId, options: TriggerOptions, headers: Mapping[str, str], body: bytes
    ) -> Taken:
        kept = _kept(headers)
        text = msgspec.json.encode(kept).decode()
        try:
            payload = read_payload(body, kept)
        except BadPayload as error:
            name, said = _said_name(options.signing, kept), str(error)
            await self._stored(trigger_id, Incoming(name, "", text, body, DeliveryState.FAILED, said))
            raise InvalidInput("The body is not JSON.", Validation("", str(error))) from error
        if (challenge := _challenge(options.signing, payload)) is not None:
            return Taken(options.signing, challenge=challenge)
        detail = _unwanted(options, payload)
        state = DeliveryState.SKIPPED if detail else DeliveryState.DUE
        name = _name(options.signing, payload)
        delivery = Incoming(name, options.thread_of(payload), text, body, state, detail)
        return Taken(options.signing, await self._stored(trigger_id, delivery), state)

    async def _stored(self, trigger_id: TriggerId, delivery: Incoming) -> Received:
        # Whoever stored the same one at the same moment is seen by the second look.
        for _ in range(2):
            stored = await triggers.receive(self._pool, trigger_id, delivery)
            if stored is not None:
                return stored
        raise Unavailable("The delivery could not be stored. Send it again.")


def _name(signing: Signing, payload: Payload) -> str | None:
    """What the sender calls the delivery."""
    if signing is not Signing.SLACK:
        return _said_name(signing, payload.headers)
    said = payload.at("body.event_id") or payload.at("body.trigger_id")
    return storable(said[:_NAME_LENGTH]) if isinstance(said, str) and said else None


def _said_name(signing: Signing, headers: Mapping[str, str]) -> str | None:
    return headers.get(NAMED_BY.get(signing, ""), "")[:_NAME_LENGTH] or None


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    wanted = (
        (name, storable(value)[:_HEADER_LENGTH])
        for name, value in headers.items()
        if (name.startswith("x-") or name in _KEPT) and not name.startswith(_NOT_KEPT)
    )
    return dict(list(wanted)[:_MOST_HEADERS])


def _challenge(signing: Signing, payload: Payload) -> str | None:
    if signing is not Signing.SLACK or payload.at("body.type") != "url_verification":
        return None
    challenge = payload.at("body.challenge")
    return challenge if isinstance(challenge, str) else ""


def _unwanted(options: TriggerOptions, payload: Payload) -> str:
    if options.signing is Signing.GITHUB and payload.headers.get("x-github-event") == "ping":
        return "GitHub tried the address out."
    return options.unmet(payload)
