"""The beginning of a chat's prompts that no later message changes: hashed for caches, kept as it was encoded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from perdure.core.message import NewMessage


def block_hash(block: bytes) -> str:
    return blake2b(block, digest_size=8).hexdigest()


def broken_at(before: Sequence[str], now: Sequence[str]) -> int | None:
    """The first block of the earlier prompt that the later one does not repeat; None while its prefix holds."""
    for index, block in enumerate(before):
        if index >= len(now) or now[index] != block:
            return index
    return None


@dataclass(slots=True)
class Settled:
    """Grows with the chat. Whoever encodes asks first whether it is the beginning of what they have."""

    key: object = None
    """What it was encoded for: the API, the model, and whatever else decides how messages are written."""
    messages: Sequence[NewMessage] = ()
    body: bytes = b""
    """The encoded messages with commas between them."""
    hashes: tuple[str, ...] = ()
    call_ids: frozenset[str] = field(default_factory=frozenset[str])
    """What its calls are called, and no later one may be."""
    thoughtful: bool | None = None
    """Whether the exchange with tools that it ends in began with a thought."""
    after_tools: bool = False

    def begins(self, messages: Sequence[NewMessage], key: object) -> bool:
        """Whether these messages begin with the settled ones, and are encoded for the same reader."""
        count = len(self.messages)
        return 0 < count <= len(messages) and self.key == key and tuple(messages[:count]) == self.messages

    def grow(self, messages: Sequence[NewMessage], encoded: Sequence[bytes], hashes: tuple[str, ...]) -> None:
        """Settle as far as these messages go."""
        self.messages = tuple(messages)
        self.body = b",".join((self.body, *encoded) if self.body else encoded)
        self.hashes += hashes

    def forget(self, key: object) -> None:
        """Begin anew, for another reader or another beginning."""
        self.key, self.messages, self.body, self.hashes = key, (), b"", ()
        self.call_ids = frozenset()
        self.thoughtful, self.after_tools = None, False

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        return len(self.body) + 80 * len(self.hashes) + 8 * len(self.messages)
