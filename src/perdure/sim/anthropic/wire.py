"""Anthropic's end of the simulator: one request in, one answer or one error out."""

from collections.abc import Iterator, Mapping

import msgspec

from perdure.sim.anthropic import errors
from perdure.sim.anthropic.blocks import check_block, plain_text
from perdure.sim.anthropic.events import AnthropicAnswer
from perdure.sim.anthropic.order import Turn, check_order, turns
from perdure.sim.anthropic.reading import ask, prompt_blocks
from perdure.sim.anthropic.settings import FIELDS, check_settings, thinks
from perdure.sim.ask import Ask
from perdure.sim.document import Json, Node, Problem
from perdure.sim.event_writer import Action
from perdure.sim.prompt_cache import Block, PromptCache
from perdure.sim.script import Step
from perdure.sim.wire import EVENT_STREAM, Request

SIZE_LIMIT = 32 * 1024 * 1024
BREAKPOINTS = 4


class Anthropic:
    """POST /v1/messages and /v1/messages/count_tokens."""

    name = "anthropic"
    content_type = EVENT_STREAM

    def __init__(self, cache: PromptCache) -> None:
        self._cache = cache

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        bearer = headers.get("authorization", "")
        return headers.get("x-api-key") or (bearer[7:] if bearer.lower().startswith("bearer ") else None)

    def unauthorized(self, key: str | None) -> Problem:
        message = "x-api-key header is required" if key is None else "invalid x-api-key"
        return Problem(401, "authentication_error", message)

    def read(self, request: Request) -> Ask:
        if "anthropic-version" not in request.headers:
            raise errors.invalid("anthropic-version: header is required")
        return self.read_checked(request)

    def read_checked(self, request: Request) -> Ask:
        """The same where the version stands elsewhere."""
        body, spoken = self._checked(request)
        return ask(body, spoken, _checked_blocks(body, spoken), request, self._cache)

    def count(self, request: Request) -> bytes:
        """How long the prompt is."""
        blocks = _checked_blocks(*self._checked(request))
        return msgspec.json.encode({"input_tokens": sum(block.tokens for block in blocks)})

    def overflow(self, ask: Ask, window: int) -> Problem:
        return errors.invalid(f"prompt is too long: {ask.figures.prompt} tokens > {window} maximum")

    def overflow_stream(self, ask: Ask, problem: Problem) -> Iterator[Action] | None:  # noqa: ARG002
        return None

    def fault(self, kind: str) -> Problem:
        return errors.fault(kind)

    def error(self, problem: Problem) -> bytes:
        return errors.document(problem)

    def error_headers(self, problem: Problem) -> dict[str, str]:  # noqa: ARG002
        return {}

    def headers(self, ask: Ask) -> dict[str, str]:
        return {"request-id": f"req_{ask.id}"}

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        return AnthropicAnswer(ask, step).stream()

    def whole(self, ask: Ask, step: Step) -> bytes:
        return AnthropicAnswer(ask, step).whole()

    def _checked(self, request: Request) -> tuple[Node, list[Turn]]:
        if len(request.body) > SIZE_LIMIT:
            raise errors.fault("too_large")
        body = Node(_parsed(request.body), errors.AnthropicErrors())
        if request.path.endswith("/count_tokens"):
            body.fields().setdefault("max_tokens", 1)
        model = body.only(FIELDS)["model"].text()
        check_settings(body, request.headers.get("anthropic-beta", ""))
        _check_messages(body["messages"])
        spoken = turns(body["messages"])
        check_order(spoken, thinking=thinks(body))
        if model.startswith("unknown-"):
            raise Problem(404, "not_found_error", f"model: {model}")
        return body, spoken


def _parsed(body: bytes) -> Json:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise errors.invalid(f"The request body is not valid JSON: {error}") from error


def _check_messages(messages: Node) -> None:
    if messages.value == []:
        raise errors.invalid("messages: at least one message is required")
    for message in messages.items():
        role = message.only(frozenset({"role", "content"}))["role"].among("user", "assistant", "system")
        content = message["content"]
        if isinstance(content.value, str):
            if not content.value.strip():
                raise message.refuse("user messages must have non-empty content" if role == "user" else _EMPTY)
            continue
        for block in content.items():
            if not plain_text(block.value):
                check_block(block, role)
        if content.value == []:
            raise message.refuse(_EMPTY)


_EMPTY = "all messages must have non-empty content except for the optional final assistant message"


def _checked_blocks(body: Node, spoken: list[Turn]) -> list[Block]:
    blocks = list(prompt_blocks(body, spoken))
    marks = sum(block.mark for block in blocks)
    if marks > BREAKPOINTS:
        raise errors.invalid(f"A maximum of {BREAKPOINTS} blocks with cache_control may be provided. Found {marks}.")
    return blocks
