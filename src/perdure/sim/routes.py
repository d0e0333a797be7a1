"""Which path belongs to which wire format, the list of models, and the small questions beside the conversation."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from perdure.sim.answering import Answering
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.clouds.azure import AzureChat
from perdure.sim.clouds.bedrock import Bedrock
from perdure.sim.clouds.vertex import VertexAnthropic, VertexGemini
from perdure.sim.connection import Exchange
from perdure.sim.document import Json
from perdure.sim.gemini.wire import Gemini
from perdure.sim.openai_chat.wire import OpenAIChat
from perdure.sim.openai_responses.background import Background
from perdure.sim.openai_responses.wire import OpenAIResponses
from perdure.sim.wire import Wire

NAMES = ("demo", "demo-fast", "small-window-8k")
_MADE = 1_760_000_000
_MADE_TEXT = "2025-10-09T08:53:20Z"


def anthropic_list() -> dict[str, Json]:
    """GET /v1/models with Anthropic's headers."""
    return {
        "data": [anthropic_model(name) for name in NAMES],
        "has_more": False,
        "first_id": NAMES[0],
        "last_id": NAMES[-1],
    }


def anthropic_model(name: str) -> dict[str, Json]:
    """One of Anthropic's models."""
    return {"type": "model", "id": name, "display_name": name.title(), "created_at": _MADE_TEXT}


def openai_list() -> dict[str, Json]:
    """GET /v1/models with a bearer token."""
    return {"object": "list", "data": [openai_model(name) for name in NAMES]}


def openai_model(name: str) -> dict[str, Json]:
    """One of OpenAI's models."""
    return {"id": name, "object": "model", "created": _MADE, "owned_by": "perdure"}


def gemini_list() -> dict[str, Json]:
    """GET /v1beta/models."""
    return {"models": [gemini_model(name) for name in NAMES]}


def gemini_model(name: str) -> dict[str, Json]:
    """One of Google's models."""
    return {
        "name": f"models/{name}",
        "displayName": name.title(),
        "inputTokenLimit": 1_000_000,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def encoded(document: dict[str, Json]) -> bytes:
    """The document as bytes."""
    return msgspec.json.encode(document)


Route = Callable[[Exchange], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Wires:
    """Every wire format, at its own address and in other houses."""

    anthropic: Anthropic
    chat: OpenAIChat
    responses: OpenAIResponses
    gemini: Gemini
    azure_chat: AzureChat
    vertex_anthropic: VertexAnthropic
    vertex_gemini: VertexGemini
    bedrock: Bedrock

    def exact(self) -> dict[str, Wire]:
        """Which is spoken at a path."""
        return {
            "/v1/messages": self.anthropic,
            "/v1/chat/completions": self.chat,
            "/v1/responses": self.responses,
            "/openai/v1/chat/completions": self.chat,
            "/openai/v1/responses": self.responses,
            "/openai/responses": self.responses,
        }

    def inside(self) -> dict[str, Wire]:
        """Which is spoken where a path has this in it; the first that fits."""
        return {
            "/publishers/anthropic/models/": self.vertex_anthropic,
            "/publishers/google/models/": self.vertex_gemini,
            "/v1beta/models/": self.gemini,
            "/v1/models/": self.gemini,
            "/openai/deployments/": self.azure_chat,
            "/model/": self.bedrock,
        }


class Routes:
    """Finds the answer to a path."""

    def __init__(self, answering: Answering, background: Background, wires: Wires) -> None:
        self._answering = answering
        self._background = background
        self._wires = wires
        self._exact = wires.exact()
        self._inside = wires.inside()

    def find(self, method: str, path: str) -> Route | None:
        """The route for a request, if there is one."""
        if method == "POST" and path == "/v1/messages/count_tokens":
            return self._count_anthropic
        if method == "POST" and path.endswith(":countTokens"):
            return self._count_gemini
        if "/responses/" in path:
            return self._background.route
        if method == "GET" and path.startswith(("/v1beta/models", "/v1/models")):
            return self._models
        wire = self._spoken_at(path) if method == "POST" else None
        return None if wire is None else lambda exchange: self._answering.answer(wire, exchange)

    def _spoken_at(self, path: str) -> Wire | None:
        exact = self._exact.get(path)
        return exact or next((wire for inside, wire in self._inside.items() if inside in path), None)

    async def _count_anthropic(self, exchange: Exchange) -> None:
        await self._answering.tell(self._wires.anthropic, exchange, self._wires.anthropic.count)

    async def _count_gemini(self, exchange: Exchange) -> None:
        await self._answering.tell(self._wires.gemini, exchange, self._wires.gemini.count)

    async def _models(self, exchange: Exchange) -> None:
        """GET …/models and …/models/NAME; one path, three vendors, told apart by their headers."""
        name = exchange.path.partition("/models")[2].removeprefix("/")
        wire: Wire = self._wires.chat
        shown = openai_model(name) if name else openai_list()
        if "anthropic-version" in exchange.headers:
            wire, shown = self._wires.anthropic, anthropic_model(name) if name else anthropic_list()
        elif "x-goog-api-key" in exchange.headers or exchange.path.startswith("/v1beta"):
            wire, shown = self._wires.gemini, gemini_model(name) if name else gemini_list()
        await self._answering.tell(wire, exchange, lambda _: encoded(shown))
