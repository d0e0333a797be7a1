"""OpenAI's Responses API, as OpenAI and Azure serve it."""

from perdure.providers.dialects.dialect import Background, Dialect, ModelList, Quirks
from perdure.providers.dialects.openai_responses.decode import ResponsesDecoder, position
from perdure.providers.dialects.openai_responses.encode import NAME, encode, giving_up, listening

OPENAI_RESPONSES = Dialect(
    name=NAME,
    encode=encode,
    decoder=ResponsesDecoder,
    models=ModelList("/models"),
    telemetry="openai",
    endings=("/responses",),
    version="/v1",
    served={"azure": Quirks()},
    screens=True,
    background=Background(listening, giving_up, position),
)
