"""OpenAI's Responses API, as OpenAI and Azure serve it."""

from perdure.providers.dialects.dialect import Dialect
from perdure.providers.dialects.openai_responses.decode import ResponsesDecoder
from perdure.providers.dialects.openai_responses.encode import NAME, encode

OPENAI_RESPONSES = Dialect(NAME, encode, ResponsesDecoder, screens=True)
