"""What a model call used, and what it cost."""

from msgspec import Struct


class Usage(Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens as the provider counts them. `input` includes what was read from or written to its cache."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )
