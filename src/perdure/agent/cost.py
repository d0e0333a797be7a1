"""What an answer costs, in whole micro-dollars."""

from perdure.core.usage import Usage
from perdure.providers.model import Price

MILLION = 1_000_000


def cost_of(usage: Usage | None, price: Price | None) -> int | None:
    """The price of a call, rounded up; None where either side is unknown."""
    if usage is None or price is None:
        return None
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    read = price.cache_read if price.cache_read is not None else price.input
    written = price.cache_write if price.cache_write is not None else price.input
    total = fresh * price.input + usage.cache_read * read + usage.cache_write * written + usage.output * price.output
    return -(-total // MILLION)
