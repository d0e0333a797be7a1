"""The dialects by name."""

from collections.abc import Mapping

from perdure.core.errors import Misconfigured
from perdure.providers.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from perdure.providers.dialects.dialect import Dialect

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (ANTHROPIC_MESSAGES,)}


def dialect_named(name: str) -> Dialect:
    try:
        return DIALECTS[name]
    except KeyError:
        raise Misconfigured(f"There is no dialect {name!r}. Known: {', '.join(DIALECTS)}.") from None
