"""Google's Gemini API, as Google AI and Vertex serve it."""

from perdure.providers.dialects.dialect import Dialect
from perdure.providers.dialects.gemini.decode import GeminiDecoder
from perdure.providers.dialects.gemini.encode import NAME, encode

GEMINI = Dialect(NAME, encode, GeminiDecoder)
