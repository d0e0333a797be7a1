"""Programs that get their token through the page, by OAuth with PKCE.

Anybody may register anything, so a registration is its own name and nothing of it is stored: what counts is the person
who lets the program in, and the challenge that only it can answer. A code holds the token, sealed.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from perdure.access.credentials import same
from perdure.access.keyring import Keyring
from perdure.core.errors import InvalidInput, Misconfigured, Validation
from perdure.core.timing import PROGRAM_CODE_KEPT

MOST_REDIRECTS = 10
LONGEST_REDIRECT = 1_000
LONGEST_NAME = 100
_PURPOSE = "oauth code"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class Program(Struct, frozen=True):
    """What a program says of itself."""

    name: str
    redirects: tuple[str, ...]

    def leads_to(self, address: str) -> bool:
        """Whether it may be sent there. On this machine its port may be any: it takes one that is free."""
        return any(address == known or _portless(address) == _portless(known) for known in self.redirects)


class _Code(Struct, frozen=True):
    secret: str
    program: str
    redirect: str
    challenge: str
    until: float


def registered(name: str, redirects: Sequence[str]) -> str:
    """The client id of a program."""
    if not 1 <= len(redirects) <= MOST_REDIRECTS:
        raise InvalidInput(
            "Say where to return to after signing in.", Validation("redirect_uris", f"1 to {MOST_REDIRECTS}")
        )
    for address in redirects:
        if not _allowed(address):
            raise InvalidInput(
                "A program comes back to https, or to this machine.", Validation("redirect_uris", address[:200])
            )
    told = Program(name[:LONGEST_NAME] or "A program", tuple(redirects))
    return base64.urlsafe_b64encode(msgspec.json.encode(told)).decode().rstrip("=")


def known(client_id: str) -> Program:
    try:
        told = base64.urlsafe_b64decode(client_id + "=" * (-len(client_id) % 4))
        program = msgspec.json.decode(told, type=Program)
    except (ValueError, msgspec.DecodeError):
        raise InvalidInput("This program is not registered.", Validation("client_id", "is not known")) from None
    if not all(map(_allowed, program.redirects)):
        raise InvalidInput("This program is not registered.", Validation("client_id", "leads elsewhere"))
    return program


class Codes:
    """Hands a token to whoever asked for it, by way of the person's browser."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def made(self, secret: str, client_id: str, redirect: str, challenge: str, now: float) -> str:
        if _CHALLENGE.fullmatch(challenge) is None:
            raise InvalidInput("The challenge must be S256.", Validation("code_challenge", "is not S256"))
        code = _Code(secret, client_id, redirect, challenge, now + PROGRAM_CODE_KEPT.total_seconds())
        sealed = self._keyring.seal(msgspec.json.encode(code).decode(), _PURPOSE)
        return base64.urlsafe_b64encode(sealed).decode().rstrip("=")

    def redeemed(self, code: str, client_id: str, redirect: str, verifier: str, now: float) -> str | None:
        """The token; nothing where the code is none, is over, or is somebody else's."""
        try:
            sealed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
            told = msgspec.json.decode(self._keyring.open(sealed, _PURPOSE), type=_Code)
        except (ValueError, Misconfigured, msgspec.DecodeError):
            return None
        answer = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        good = same(answer, told.challenge) and (told.program, told.redirect) == (client_id, redirect)
        return told.secret if good and now < told.until else None


def _allowed(address: str) -> bool:
    """Whether a browser may be sent there: what is not an address of the web could be a script."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return False
    if len(address) > LONGEST_REDIRECT or parts.fragment or not parts.hostname or not address.isprintable():
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _on_this_machine(parts.hostname))


def _on_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _portless(address: str) -> object:
    parts = urlsplit(address)
    if parts.scheme != "http":
        return address
    return parts.hostname, parts.path, parts.query
