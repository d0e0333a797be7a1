"""Google's Gemini API, as Google AI and Vertex serve it."""

from perdure.providers.dialects.dialect import Dialect, KeyHeader, ModelList, Quirks, Searches
from perdure.providers.dialects.gemini.decode import GeminiDecoder
from perdure.providers.dialects.gemini.encode import NAME, encode

VERTEX = Quirks(
    path="/publishers/google/models/{model}:streamGenerateContent?alt=sse",
    searches=Searches.ALONE,
)

GEMINI = Dialect(
    name=NAME,
    encode=encode,
    decoder=GeminiDecoder,
    models=ModelList("/v1beta/models?pageSize=1000"),
    telemetry="gcp.gemini",
    key=KeyHeader("x-goog-api-key", ""),
    endings=("/v1beta", "/v1"),
    served={"vertex": VERTEX},
)
