"""Secrets that people and programs hold: made at random, shown once, stored as a hash."""

import hashlib
import secrets

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
