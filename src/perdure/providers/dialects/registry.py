"""The dialects by name."""

from collections.abc import Mapping

from perdure.core.errors import Misconfigured
from perdure.providers.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from perdure.providers.dialects.dialect import Dialect
from perdure.providers.dialects.gemini import GEMINI
from perdure.providers.dialects.openai_chat import OPENAI_CHAT
from perdure.providers.dialects.openai_responses import OPENAI_RESPONSES

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (ANTHROPIC_MESSAGES, OPENAI_RESPONSES, OPENAI_CHAT, GEMINI)
}


def dialect_named(name: str) -> Dialect:
    try:
        return DIALECTS[name]
    except KeyError:
        raise Misconfigured(f"There is no dialect {name!r}. Known: {', '.join(DIALECTS)}.") from None
