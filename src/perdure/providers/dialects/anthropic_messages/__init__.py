"""Anthropic's Messages API, as Anthropic, Bedrock and Vertex serve it."""

from perdure.providers.dialects.anthropic_messages.decode import AnthropicDecoder
from perdure.providers.dialects.anthropic_messages.encode import NAME, encode
from perdure.providers.dialects.dialect import Dialect

ANTHROPIC_MESSAGES = Dialect(NAME, encode, AnthropicDecoder, screens=True)
