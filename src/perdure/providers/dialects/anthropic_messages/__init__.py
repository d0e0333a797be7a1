"""Anthropic's Messages API, as Anthropic, Bedrock and Vertex serve it."""

from perdure.providers.dialects.anthropic_messages.decode import AnthropicDecoder
from perdure.providers.dialects.anthropic_messages.encode import HEADERS, NAME, encode
from perdure.providers.dialects.dialect import Dialect, KeyHeader, ModelList, Quirks, Searches

BEDROCK = Quirks(
    body={"anthropic_version": "bedrock-2023-05-31"},
    without=frozenset({"model", "stream"}),
    path="/model/{model}/invoke-with-response-stream",
    searches=Searches.NEVER,
    betas_in_body=True,
)
VERTEX = Quirks(
    body={"anthropic_version": "vertex-2023-10-16"},
    without=frozenset({"model"}),
    path="/publishers/anthropic/models/{model}:streamRawPredict",
)

ANTHROPIC_MESSAGES = Dialect(
    name=NAME,
    encode=encode,
    decoder=AnthropicDecoder,
    models=ModelList("/v1/models?limit=1000", HEADERS),
    telemetry="anthropic",
    key=KeyHeader("x-api-key", ""),
    endings=("/v1/messages", "/v1"),
    served={"bedrock": BEDROCK, "vertex": VERTEX},
    screens=True,
)
