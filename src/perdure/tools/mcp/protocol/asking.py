"""Calls that come back with questions: asked by the newer version of the protocol, and made again with the answers."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp import Client
from mcp_types import ElicitRequest, ElicitResult, InputRequiredResult, InputResponses

from perdure.tools.mcp.messages import Asked, Brought
from perdure.tools.mcp.protocol.tasks import filled, proposal, question_of

T = TypeVar("T")


class AsksPerson(Exception):
    """A call has no result yet: whoever made it has the questions answered and makes it again."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self.asked = asked


class AskingClient(Client):
    """Tells whoever calls what is asked, instead of having it answered while the call waits."""

    async def _drive_input_required(
        self, first: T | InputRequiredResult, retry: Callable[..., Awaitable[T | InputRequiredResult]]
    ) -> T:
        async def once_more(responses: InputResponses | None, state: str | None) -> T | InputRequiredResult:
            return self._unless_asked(await retry(responses, state))

        return await super()._drive_input_required(self._unless_asked(first), once_more)

    def _unless_asked(self, result: T | InputRequiredResult) -> T | InputRequiredResult:
        if not isinstance(result, InputRequiredResult) or not result.input_requests or self._fills(result):
            return result
        asked = {key: request.model_dump(by_alias=True, mode="json") for key, request in result.input_requests.items()}
        questions = tuple(question_of(key, request) for key, request in asked.items())
        raise AsksPerson(Asked(questions=questions, state=result.request_state))

    def _fills(self, result: InputRequiredResult) -> bool:
        """Whether the server's word counts, and what its forms propose is all that they need."""
        asked = (result.input_requests or {}).values()
        return self.elicitation_callback is filled and all(
            isinstance(request, ElicitRequest) and proposal(request.params) for request in asked
        )


def again(brought: Brought) -> dict[str, Any]:
    """What a call takes that is made again."""
    answers = {key: ElicitResult.model_validate(answer) for key, answer in brought.answers.items()}
    return {"input_responses": answers, "request_state": brought.state}
