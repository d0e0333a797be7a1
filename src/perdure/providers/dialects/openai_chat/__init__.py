"""OpenAI's Chat Completions, and everything that is compatible with it."""

from perdure.providers.dialects.dialect import Dialect, ModelList, Quirks
from perdure.providers.dialects.openai_chat.decode import ChatDecoder
from perdure.providers.dialects.openai_chat.encode import NAME, encode

OPENAI_CHAT = Dialect(
    name=NAME,
    encode=encode,
    decoder=ChatDecoder,
    models=ModelList("/models"),
    telemetry="openai",
    endings=("/chat/completions",),
    version="/v1",
    served={"azure": Quirks(path="/deployments/{model}/chat/completions")},
)
