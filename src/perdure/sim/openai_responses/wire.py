"""The Responses end of the simulator: one request in, one answer or one error out."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.document import Node, Problem, is_object
from perdure.sim.event_writer import Action
from perdure.sim.openai import errors
from perdure.sim.openai_responses.events import Events
from perdure.sim.openai_responses.items import check_item, not_found
from perdure.sim.openai_responses.order import check_order
from perdure.sim.openai_responses.reading import Item, ask
from perdure.sim.openai_responses.response import Response
from perdure.sim.openai_responses.settings import FIELDS, check_settings
from perdure.sim.openai_responses.store import Responses, Stored
from perdure.sim.prompt_cache import PromptCache
from perdure.sim.script import Step
from perdure.sim.wire import EVENT_STREAM, Request


class OpenAIResponses:
    """POST /v1/responses."""

    name = "openai_responses"
    content_type = EVENT_STREAM

    def __init__(self, cache: PromptCache, now: Callable[[], float], responses: Responses) -> None:
        self._cache = cache
        self._now = now
        self._responses = responses

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        return errors.bearer(headers)

    def unauthorized(self, key: str | None) -> Problem:
        return errors.unauthorized(key)

    def read(self, request: Request) -> Ask:
        body = Node(errors.parsed(request.body), errors.OpenAIErrors())
        model = body["model"].text()
        body.only(FIELDS)
        check_settings(body)
        items = self._before(body) + self._input(body)
        check_order([Node(item, errors.OpenAIErrors(), ("input", index)) for index, item in enumerate(items)])
        if model.startswith("unknown-"):
            raise errors.no_model(model)
        return ask(body, items, request.id, request.scope, self._cache)

    def overflow(self, ask: Ask, window: int) -> Problem:  # noqa: ARG002
        message = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return errors.invalid(message, "input", "context_length_exceeded")

    def overflow_stream(self, ask: Ask, problem: Problem) -> Iterator[Action] | None:
        return Events(self.response(ask, Step(()))).overflow(problem)

    def fault(self, kind: str) -> Problem:
        return errors.fault(kind)

    def error(self, problem: Problem) -> bytes:
        return errors.document(problem)

    def error_headers(self, problem: Problem) -> dict[str, str]:  # noqa: ARG002
        return {}

    def headers(self, ask: Ask) -> dict[str, str]:
        return {"x-request-id": f"req_{ask.id}", "openai-version": "2020-10-01"}

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        response = self.response(ask, step)
        return Events(response).stream(lambda: self._keep(response))

    def whole(self, ask: Ask, step: Step) -> bytes:
        response = self.response(ask, step)
        self._keep(response)
        return msgspec.json.encode(response.whole())

    def response(self, ask: Ask, step: Step) -> Response:
        """The response before it is rendered."""
        return Response(ask, step, int(self._now()))

    def _keep(self, response: Response) -> None:
        """Store what may be continued later; background responses are stored where they are made."""
        if response.ask.options.get("store") is not False and not response.ask.background:
            self._responses.keep(response.id, Stored(given_items(response.ask), response.whole(), done=True))

    def _input(self, body: Node) -> list[Item]:
        """The items of this request, references replaced by what they refer to."""
        given = body.get("input")
        if given is None:
            if body.has("previous_response_id") or body.has("prompt"):
                return []
            raise errors.OpenAIErrors().missing(("input",))
        if isinstance(given.value, str):
            return [{"type": "message", "role": "user", "content": given.value}]
        if given.value == [] and not body.has("previous_response_id"):
            message = "Expected an array with minimum length 1, but got an empty array instead."
            raise given.refuse(f"Invalid 'input': empty array. {message}", "empty_array")
        stored = body.fields().get("store") is not False
        for item in given.items():
            check_item(item, stored=stored)
        return [self._resolved(item.fields()) for item in given.items()]

    def _before(self, body: Node) -> list[Item]:
        """The items of the response that this request continues, and of those before it."""
        previous = body.get("previous_response_id")
        if previous is None:
            return []
        stored = self._responses.get(previous.text())
        if stored is None:
            message = f"Previous response with id '{previous.text()}' not found."
            raise errors.invalid(message, "previous_response_id", "previous_response_not_found")
        output = stored.response["output"]
        return stored.items + [item for item in output if is_object(item)] if isinstance(output, list) else stored.items

    def _resolved(self, item: Item) -> Item:
        if item.get("type") != "item_reference":
            return item
        found = self._responses.item(str(item["id"]))
        if found is None:
            raise not_found(str(item["id"]))
        return found


def given_items(ask: Ask) -> list[Item]:
    """The items that a request came with."""
    items = ask.options["items"]
    return [item for item in items if is_object(item)] if isinstance(items, list) else []
