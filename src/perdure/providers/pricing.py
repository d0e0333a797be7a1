"""What an answer costs, in whole micro-dollars."""

from perdure.core.usage import Usage
from perdure.providers.model import Price

MILLION = 1_000_000


def cost(usage: Usage, price: Price) -> int:
    """Micro-dollars, rounded half up once, at the end. What a price does not name costs as fresh input."""
    read_price = price.input if price.cache_read is None else price.cache_read
    write_price = price.input if price.cache_write is None else price.cache_write
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    whole = (
        fresh * price.input
        + usage.cache_read * read_price
        + usage.cache_write * write_price
        + usage.output * price.output
    )
    return (whole + MILLION // 2) // MILLION
