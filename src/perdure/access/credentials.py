"""What proves who somebody is: random secrets that are stored as hashes, passwords, and how a request shows them."""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from perdure.core.errors import InvalidInput, Validation

SESSION_PREFIX = "pds_"
TOKEN_PREFIX = "pdt_"  # noqa: S105
LINK_PREFIX = "pdl_"
HINT_LENGTH = 4


def mint(prefix: str) -> str:
    """A new secret of 256 bits. The prefix lets scanners find one that leaked."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """What is stored. The secret has enough entropy of its own; a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).digest()


def csrf_token(session_secret: str) -> str:
    """What a page of ours sends along to show that it is ours: derived, so that nothing more is stored."""
    return hashlib.sha256(b"csrf" + session_secret.encode()).hexdigest()


def same(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode(), expected.encode())


SHORTEST, LONGEST = 10, 1024

_hasher = PasswordHasher()


async def hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        detail = f"must have {SHORTEST} to {LONGEST} characters"
        raise InvalidInput("The password is too short or too long.", Validation("password", detail))
    return await asyncio.to_thread(_hasher.hash, password)


async def matches(password: str, stored: str | None) -> bool:
    """Whether it is the password. Takes as long for somebody who does not exist, so that nobody can tell."""
    try:
        return await asyncio.to_thread(_hasher.verify, stored or _NOBODY, password) and stored is not None
    except (VerifyMismatchError, InvalidHashError):
        return False


# The hash of a password that nobody has.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$ZAzsPzPB4NGZ3jPpi2UDlzbVmtaPwECVqEx8YVcDbHA"


SESSION_COOKIE = "perdure_session"
_BEARER = "bearer "


def secret_of(headers: Mapping[str, str]) -> str | None:
    """The token if one is sent, else the session's cookie. Header names are lower-case."""
    token = token_of(headers)
    return token if token is not None else cookie_of(headers, SESSION_COOKIE) or None


def token_of(headers: Mapping[str, str]) -> str | None:
    """The token, if one is sent."""
    authorization = headers.get("authorization", "")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip()
    return None


def cookie_of(headers: Mapping[str, str], name: str) -> str:
    """The cookie of this name, empty where there is none.

    Cookies of other programs on the same host may look like anything: the standard library's parser gives up at the
    first that it does not understand, and with it the one that is asked for.
    """
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return next((value for found, _, value in pairs if found == name), "")
