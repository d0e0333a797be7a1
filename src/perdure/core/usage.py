"""What a model call used, and what it cost."""

from msgspec import Struct

MOST_TOKENS = 1_000_000_000


class Usage(Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens as the provider counts them. `input` includes what was read from or written to its cache."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def possible(self) -> bool:
        """Whether a call can have used this much. Some servers say -1 or 4294967295 where they do not know."""
        return all(0 <= getattr(self, field) <= MOST_TOKENS for field in self.__struct_fields__)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )
