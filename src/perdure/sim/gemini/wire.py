"""Gemini's end of the simulator: one request in, one answer or one error out."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.document import Json, Node, Problem
from perdure.sim.event_writer import Action
from perdure.sim.gemini import errors
from perdure.sim.gemini.events import GeminiAnswer
from perdure.sim.gemini.order import check_contents
from perdure.sim.gemini.reading import ask
from perdure.sim.gemini.settings import check_settings
from perdure.sim.prompt_cache import PromptCache
from perdure.sim.script import Step
from perdure.sim.wire import EVENT_STREAM, Request

_OPAQUE = frozenset(
    {"args", "response", "parametersJsonSchema", "responseJsonSchema", "labels", "partMetadata", "default", "example"}
)
_SNAKE = re.compile(rb'"[a-z]+_[a-z_]+"\s*:')


def in_camel_case(document: Json, raw: bytes) -> Json:
    """The document with its field names in camelCase; untouched when there is nothing to do."""
    return _renamed(document) if _SNAKE.search(raw) else document


def _renamed(value: Json) -> Json:
    match value:
        case list():
            return [_renamed(one) for one in value]
        case dict():
            return {_camel(name): _inside(_camel(name), inner) for name, inner in value.items()}
        case _:
            return value


def _inside(name: str, value: Json) -> Json:
    if name in _OPAQUE:
        return value
    if name == "properties" and isinstance(value, dict):
        return {own: _renamed(schema) for own, schema in value.items()}
    return _renamed(value)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return name if name.startswith("_") else head + "".join(word[:1].upper() + word[1:] for word in rest)


METHODS = frozenset({"generateContent", "streamGenerateContent", "countTokens"})


class Gemini:
    """POST /v1beta/models/{model}:generateContent and :streamGenerateContent."""

    name = "gemini"
    content_type = EVENT_STREAM

    def __init__(self, cache: PromptCache) -> None:
        self._cache = cache

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
        bearer = headers.get("authorization", "")
        token = bearer[7:] if bearer.lower().startswith("bearer ") else None
        return headers.get("x-goog-api-key") or query.get("key") or token or None

    def unauthorized(self, key: str | None) -> Problem:
        return errors.unauthorized(key)

    def read(self, request: Request) -> Ask:
        model, method = target(request.path)
        body = self._checked(request, model, method)
        stream = method == "streamGenerateContent"
        return ask(body, model, stream=stream, id=request.id, scope=request.scope, cache=self._cache)

    def count(self, request: Request) -> bytes:
        """How long the prompt is."""
        model, method = target(request.path)
        body = self._checked(request, model, method)
        counted = ask(body, model, stream=False, id=request.id, scope="", cache=self._cache)
        return msgspec.json.encode({"totalTokens": counted.figures.prompt})

    def overflow(self, ask: Ask, window: int) -> Problem:
        message = (
            f"The input token count ({ask.figures.prompt}) exceeds the maximum number of tokens allowed ({window})."
        )
        return errors.invalid(message)

    def overflow_stream(self, ask: Ask, problem: Problem) -> Iterator[Action] | None:  # noqa: ARG002
        return None

    def fault(self, kind: str) -> Problem:
        return errors.fault(kind)

    def error(self, problem: Problem) -> bytes:
        return errors.document(problem)

    def error_headers(self, problem: Problem) -> dict[str, str]:  # noqa: ARG002
        return {}

    def headers(self, ask: Ask) -> dict[str, str]:
        return {"x-gemini-service-tier": "standard", "server-timing": f"gfet4t7; dur={len(ask.id)}"}

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        return GeminiAnswer(ask, step).stream()

    def whole(self, ask: Ask, step: Step) -> bytes:
        return GeminiAnswer(ask, step).whole()

    def _checked(self, request: Request, model: str, method: str) -> Node:
        body = Node(_parsed(request.body), errors.GeminiErrors())
        check_settings(body, model)
        check_contents(body["contents"], model)
        if model.startswith("unknown-") or method not in METHODS:
            raise errors.no_model(model, method)
        return body


def target(path: str) -> tuple[str, str]:
    """The model and the method in a path."""
    model, _, method = path.rpartition("/models/")[2].partition(":")
    return model, method


def _parsed(body: bytes) -> Json:
    try:
        return in_camel_case(msgspec.json.decode(body), body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise errors.payload(f"Expected a value. {error}", ("",)) from error
