"""Whether a request comes from the program that shares a secret with us: the ways in which such programs sign."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from perdure.core.errors import Unauthenticated
from perdure.core.timing import SIGNATURE_KEPT

SECRET_PREFIX = "whsec_"  # noqa: S105
_SECRET_BYTES = 32


class Signing(StrEnum):
    """How a program signs what it sends."""

    STANDARD = "standard"
    """As Standard Webhooks has it."""
    GITHUB = "github"
    SLACK = "slack"
    TOKEN = "token"  # noqa: S105
    """It cannot sign: the secret is part of the URL."""


NAMED_BY: Mapping[Signing, str] = {
    Signing.STANDARD: "webhook-id",
    Signing.GITHUB: "x-github-delivery",
    Signing.TOKEN: "idempotency-key",
}
"""The header that says which delivery it is, where there is one."""


def new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def key_of(secret: str) -> bytes:
    """The bytes that Standard Webhooks signs with."""
    return base64.b64decode(secret.removeprefix(SECRET_PREFIX))


def mark_of(key: bytes, *pieces: bytes) -> bytes:
    return hmac.new(key, b"".join(pieces), hashlib.sha256).digest()


class SignedRequest(Struct, frozen=True):
    """What came, as far as it is signed. Header names are lower-case."""

    headers: Mapping[str, str]
    token: str
    body: bytes


def check_signature(signing: Signing, secret: str, request: SignedRequest, now: float) -> None:
    """Raises, in words for whoever set the program up, unless it is theirs and new enough."""
    headers, body = request.headers, request.body
    match signing:
        case Signing.STANDARD:
            _check_standard(secret, headers, body, now)
        case Signing.GITHUB:
            said = headers.get("x-hub-signature-256", "")
            _agree([said], "sha256=" + mark_of(secret.encode(), body).hex(), "X-Hub-Signature-256")
        case Signing.SLACK:
            moment = headers.get("x-slack-request-timestamp", "")
            _check_age(moment, now)
            mark = mark_of(secret.encode(), b"v0:", moment.encode(), b":", body)
            _agree([headers.get("x-slack-signature", "")], f"v0={mark.hex()}", "X-Slack-Signature")
        case Signing.TOKEN:
            _agree([request.token], secret, "token in the URL")


def _check_standard(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> None:
    name, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not name:
        raise Unauthenticated("The header webhook-id is missing.")
    _check_age(moment, now)
    mark = mark_of(key_of(secret), name.encode(), b".", moment.encode(), b".", body)
    given = headers.get("webhook-signature", "").split(" ")
    _agree(given, f"v1,{base64.b64encode(mark).decode()}", "webhook-signature")


def _check_age(moment: str, now: float) -> None:
    if not moment.isascii() or not moment.isdigit() or len(moment) > 12:
        raise Unauthenticated("The signature's timestamp is missing or is not a number of seconds.")
    if abs(now - int(moment)) > SIGNATURE_KEPT.total_seconds():
        minutes = SIGNATURE_KEPT.seconds // 60
        raise Unauthenticated(f"The signature is more than {minutes} minutes off. Check the sender's clock.")


def _agree(given: list[str], expected: str, where: str) -> None:
    if not any(hmac.compare_digest(each.encode(errors="replace"), expected.encode()) for each in given):
        said = "does not match" if any(given) else "is missing"
        raise Unauthenticated(f"The signature ({where}) {said}.")


def usable_secret(signing: Signing, secret: str) -> bool:
    """Whether the signing can use such a secret."""
    if signing is not Signing.STANDARD:
        return True
    try:
        return secret.startswith(SECRET_PREFIX) and len(base64.b64decode(secret[6:], validate=True)) >= 16
    except ValueError:
        return False
