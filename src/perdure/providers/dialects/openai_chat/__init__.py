"""OpenAI's Chat Completions, and everything that is compatible with it."""

from perdure.providers.dialects.dialect import Dialect
from perdure.providers.dialects.openai_chat.decode import ChatDecoder
from perdure.providers.dialects.openai_chat.encode import NAME, encode

OPENAI_CHAT = Dialect(NAME, encode, ChatDecoder)
