"""Hashes of prompt blocks: where a provider's cache broke, answered without keeping the prompt."""

from collections.abc import Sequence
from hashlib import blake2b


def block_hash(block: bytes) -> str:
    return blake2b(block, digest_size=8).hexdigest()


def broken_at(before: Sequence[str], now: Sequence[str]) -> int | None:
    """The first block of the earlier prompt that the later one does not repeat; None while its prefix holds."""
    for index, block in enumerate(before):
        if index >= len(now) or now[index] != block:
            return index
    return None
