"""Passwords, as argon2id hashes. Hashing runs in a thread: it takes tens of milliseconds on purpose."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from perdure.core.errors import InvalidInput, Validation

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
