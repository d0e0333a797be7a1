"""The Chat Completions end of the simulator."""

from collections.abc import Callable, Iterator, Mapping

from perdure.sim.ask import Ask
from perdure.sim.document import Node, Problem
from perdure.sim.event_writer import Action
from perdure.sim.openai import errors
from perdure.sim.openai_chat.events import ChatAnswer
from perdure.sim.openai_chat.reading import ask
from perdure.sim.openai_chat.rules import check
from perdure.sim.prompt_cache import PromptCache
from perdure.sim.script import Step
from perdure.sim.wire import EVENT_STREAM, Request


class OpenAIChat:
    """POST /v1/chat/completions."""

    name = "openai_chat"
    content_type = EVENT_STREAM

    def __init__(self, cache: PromptCache, now: Callable[[], float]) -> None:
        self._cache = cache
        self._now = now

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        return errors.bearer(headers)

    def unauthorized(self, key: str | None) -> Problem:
        return errors.unauthorized(key)

    def read(self, request: Request) -> Ask:
        body = Node(errors.parsed(request.body), errors.OpenAIErrors())
        check(body)
        model = body["model"].text()
        if model.startswith("unknown-"):
            raise errors.no_model(model)
        return ask(body, request.id, request.scope, self._cache)

    def overflow(self, ask: Ask, window: int) -> Problem:
        message = (
            f"This model's maximum context length is {window} tokens. However, your messages resulted in "
            f"{ask.figures.prompt} tokens. Please reduce the length of the messages."
        )
        return errors.invalid(message, "messages", "context_length_exceeded")

    def overflow_stream(self, ask: Ask, problem: Problem) -> Iterator[Action] | None:  # noqa: ARG002
        return None

    def fault(self, kind: str) -> Problem:
        return errors.fault(kind)

    def error(self, problem: Problem) -> bytes:
        return errors.document(problem)

    def error_headers(self, problem: Problem) -> dict[str, str]:  # noqa: ARG002
        return {}

    def headers(self, ask: Ask) -> dict[str, str]:
        return {"x-request-id": f"req_{ask.id}", "openai-version": "2020-10-01"}

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        return ChatAnswer(ask, step, int(self._now())).stream()

    def whole(self, ask: Ask, step: Step) -> bytes:
        return ChatAnswer(ask, step, int(self._now())).whole()
