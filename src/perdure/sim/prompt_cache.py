"""Prompt caching that is really computed: prefixes of earlier prompts, found again by the hash of their blocks."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from perdure.core.timing import SIMULATED_CACHE_KEPT

LOOKBACK = 20
"""Blocks before a breakpoint at which an earlier prefix is looked for."""

MINIMUM = 1_024
"""Tokens that a prefix must have to be worth caching."""

INCREMENT = 128
"""Automatic caches report multiples of this many tokens."""

CAPACITY = 200_000


class Block(msgspec.Struct, frozen=True, gc=False):
    """A piece of a prompt: its bytes, its size, and whether the caller marked it as a breakpoint."""

    data: bytes
    tokens: int
    mark: bool = False


class Prefix(msgspec.Struct, frozen=True, gc=False):
    """A prompt up to and including one block."""

    digest: bytes
    tokens: int
    mark: bool


class PromptCache:
    """Remembers prefixes for a while, for each caller and model apart."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._known: OrderedDict[bytes, float] = OrderedDict()

    def marked(self, scope: str, blocks: Iterable[Block], minimum: int = MINIMUM) -> tuple[int, int]:
        """Tokens read and written with explicit breakpoints."""
        prefixes = chain(scope, blocks)
        marks = [at for at, prefix in enumerate(prefixes) if prefix.mark and prefix.tokens >= minimum]
        if not marks:
            return 0, 0
        read = next((size for at in reversed(marks) if (size := self._longest(prefixes, at))), 0)
        for at in marks:
            self._keep(prefixes[at])
        return read, max(0, prefixes[marks[-1]].tokens - read)

    def automatic(self, scope: str, blocks: Iterable[Block], minimum: int = MINIMUM) -> int:
        """Tokens read when the vendor caches every prefix by itself."""
        prefixes = chain(scope, blocks)
        read = next((prefix.tokens for prefix in reversed(prefixes) if self._holds(prefix)), 0)
        for prefix in prefixes:
            if prefix.tokens >= minimum:
                self._keep(prefix)
        return read // INCREMENT * INCREMENT

    def _longest(self, prefixes: Sequence[Prefix], mark: int) -> int:
        window = prefixes[max(0, mark - LOOKBACK) : mark + 1]
        return next((prefix.tokens for prefix in reversed(window) if self._holds(prefix)), 0)

    def _holds(self, prefix: Prefix) -> bool:
        return self._known.get(prefix.digest, 0.0) > self._now()

    def _keep(self, prefix: Prefix) -> None:
        self._known[prefix.digest] = self._now() + SIMULATED_CACHE_KEPT.total_seconds()
        self._known.move_to_end(prefix.digest)
        while len(self._known) > CAPACITY:
            self._known.popitem(last=False)


def chain(scope: str, blocks: Iterable[Block]) -> list[Prefix]:
    """Every prefix of the prompt, shortest first."""
    running, tokens, prefixes = hashlib.blake2b(scope.encode(), digest_size=16), 0, list[Prefix]()
    for block in blocks:
        running.update(block.data)
        tokens += block.tokens
        prefixes.append(Prefix(running.digest(), tokens, block.mark))
    return prefixes
