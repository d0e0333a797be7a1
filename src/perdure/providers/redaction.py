"""Our own keys, taken out of what a server says: some repeat them, and what they say is shown, stored and logged."""

from collections.abc import Iterable, Mapping

# What is shorter is no key, and may be any word.
SHORTEST = 8
INSTEAD = b"[key]"


def secrets_in(proof: Mapping[str, str]) -> tuple[bytes, ...]:
    """The keys that headers carry as proof of who asks, such as `Bearer KEY`."""
    values = (value.rpartition(" ")[2].encode() for value in proof.values())
    return tuple(value for value in values if len(value) >= SHORTEST)


def redacted(text: bytes, secrets: Iterable[bytes]) -> bytes:
    for secret in secrets:
        text = text.replace(secret, INSTEAD)
    return text


class Redaction:
    """Takes keys out of a body piece by piece, also one that two pieces share."""

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        self._secrets = secrets
        self._bytes = frozenset(b"".join(secrets))
        self._kept = b""

    def feed(self, piece: bytes) -> bytes:
        """What may be passed on. What could be the beginning of a key waits for the next piece."""
        if self._kept:
            piece, self._kept = self._kept + piece, b""
        for secret in self._secrets:
            if secret in piece:
                piece = piece.replace(secret, INSTEAD)
        # An event ends with a line's end, which no key contains: there is rarely more to do.
        if piece and piece[-1] in self._bytes:
            self._kept = max((_begun(piece, secret) for secret in self._secrets), key=len)
            piece = piece[: len(piece) - len(self._kept)]
        return piece

    def close(self) -> bytes:
        """What waited and was no key."""
        kept, self._kept = self._kept, b""
        return kept


def _begun(piece: bytes, secret: bytes) -> bytes:
    """The longest end of the piece that a secret begins with."""
    longest = min(len(secret) - 1, len(piece))
    return next((secret[:size] for size in range(longest, 0, -1) if piece.endswith(secret[:size])), b"")
