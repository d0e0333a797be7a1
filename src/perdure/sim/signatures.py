"""Opaque tokens that a vendor hands out with reasoning and wants back unchanged: made and checked without memory."""

import base64
import hashlib

_KEY = b"perdure simulator"


def sign(purpose: str, text: str) -> str:
    """A signature of the text that only this purpose accepts."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=_KEY, person=_person(purpose)).digest()
    return base64.b64encode(digest).decode()


def signed(purpose: str, text: str, signature: str) -> bool:
    """Whether the signature belongs to the text."""
    return sign(purpose, text) == signature


def seal(purpose: str, text: str) -> str:
    """The text in an opaque wrapping that `unseal` opens again."""
    data = text.encode("utf-8", "surrogatepass")
    tag = hashlib.blake2b(data, key=_KEY, person=_person(purpose), digest_size=16).digest()
    return base64.b64encode(tag + data).decode()


def unseal(purpose: str, sealed: str) -> str | None:
    """The text in the wrapping, or nothing when it was not made for this purpose or was changed."""
    try:
        raw = base64.b64decode(sealed, validate=True)
        text = raw[16:].decode("utf-8", "surrogatepass")
    except ValueError:
        return None
    return text if seal(purpose, text) == sealed else None


def _person(purpose: str) -> bytes:
    return purpose.encode()[:16]
