"""Which path belongs to which wire format, and the small questions beside the conversation."""

from collections.abc import Awaitable, Callable

from perdure.sim import models
from perdure.sim.answering import Answering
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.connection import Exchange
from perdure.sim.gemini.wire import Gemini
from perdure.sim.openai_chat.wire import OpenAIChat
from perdure.sim.openai_responses.background import Background
from perdure.sim.openai_responses.wire import OpenAIResponses
from perdure.sim.wire import Wire

Route = Callable[[Exchange], Awaitable[None]]
_GEMINI = ("/v1beta/models/", "/v1/models/")


class Routes:
    """Finds the answer to a path."""

    def __init__(
        self,
        answering: Answering,
        background: Background,
        anthropic: Anthropic,
        chat: OpenAIChat,
        responses: OpenAIResponses,
        gemini: Gemini,
    ) -> None:
        self._answering = answering
        self._background = background
        self._anthropic = anthropic
        self._chat = chat
        self._gemini = gemini
        self._exact: dict[tuple[str, str], Route] = {
            ("POST", "/v1/messages"): lambda exchange: answering.answer(anthropic, exchange),
            ("POST", "/v1/messages/count_tokens"): self._count_anthropic,
            ("POST", "/v1/chat/completions"): lambda exchange: answering.answer(chat, exchange),
            ("POST", "/v1/responses"): lambda exchange: answering.answer(responses, exchange),
            ("POST", "/openai/v1/chat/completions"): lambda exchange: answering.answer(chat, exchange),
            ("POST", "/openai/v1/responses"): lambda exchange: answering.answer(responses, exchange),
        }

    def find(self, method: str, path: str) -> Route | None:
        """The route for a request, if there is one."""
        exact = self._exact.get((method, path))
        if exact is not None:
            return exact
        if path.startswith("/v1/responses/"):
            return self._background.route
        if method == "POST" and path.startswith(_GEMINI):
            counting = path.endswith(":countTokens")
            return self._count_gemini if counting else lambda exchange: self._answering.answer(self._gemini, exchange)
        if method == "GET" and path.startswith(("/v1beta/models", "/v1/models")):
            return self._models
        return None

    async def _count_anthropic(self, exchange: Exchange) -> None:
        await self._answering.tell(self._anthropic, exchange, self._anthropic.count)

    async def _count_gemini(self, exchange: Exchange) -> None:
        await self._answering.tell(self._gemini, exchange, self._gemini.count)

    async def _models(self, exchange: Exchange) -> None:
        """GET …/models and …/models/NAME; one path, three vendors, told apart by their headers."""
        name = exchange.path.partition("/models")[2].removeprefix("/")
        wire: Wire = self._chat
        shown = models.openai_model(name) if name else models.openai_list()
        if "anthropic-version" in exchange.headers:
            wire, shown = self._anthropic, models.anthropic_model(name) if name else models.anthropic_list()
        elif "x-goog-api-key" in exchange.headers or exchange.path.startswith("/v1beta"):
            wire, shown = self._gemini, models.gemini_model(name) if name else models.gemini_list()
        await self._answering.tell(wire, exchange, lambda _: models.encoded(shown))
