"""Routes to the simulator in every dialect, and short ways to say things."""

from perdure.core.message import AnyPart, NewMessage, Role, Text
from perdure.providers.client import Completion, ProviderClient
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.model import Model, Thinking
from perdure.providers.request import ModelRequest, ToolSpec
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service
from perdure.sim.server import Simulator

KEY = "sk-canary-0123456789"
NAMES = tuple(DIALECTS)

MODELS = {
    "anthropic_messages": Model(
        id="claude-sonnet-4-5",
        dialect="anthropic_messages",
        thinking=Thinking.BUDGET,
        documents=True,
    ),
    "openai_responses": Model(
        id="gpt-5.2", dialect="openai_responses", thinking=Thinking.EFFORT, documents=True, sampling=False
    ),
    "openai_chat": Model(id="qwen3", dialect="openai_chat", thinking=Thinking.EFFORT, documents=True),
    "gemini": Model(id="gemini-3-pro", dialect="gemini", thinking=Thinking.EFFORT, documents=True),
}
SERVICES = {
    "anthropic_messages": Service.ANTHROPIC,
    "openai_responses": Service.OPENAI,
    "openai_chat": Service.COMPATIBLE,
    "gemini": Service.GOOGLE,
}

TOOLS = (
    ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolSpec("look", "Look at the screen.", {"type": "object", "properties": {}}),
)


def route(sim: Simulator, dialect: str, *, model: Model | None = None, secret: str | None = KEY) -> Route:
    settings = ProviderSettings(service=SERVICES[dialect], base_url=sim.url)
    return Route.to(settings, model or MODELS[dialect], secret)


def user(*parts: AnyPart | str) -> NewMessage:
    return NewMessage(role=Role.USER, parts=_parts(parts))


def assistant(*parts: AnyPart | str) -> NewMessage:
    return NewMessage(role=Role.ASSISTANT, parts=_parts(parts))


def tool(*parts: AnyPart) -> NewMessage:
    return NewMessage(role=Role.TOOL, parts=parts)


def _parts(parts: tuple[AnyPart | str, ...]) -> tuple[AnyPart, ...]:
    return tuple(Text(part) if isinstance(part, str) else part for part in parts)


async def ask(client: ProviderClient, way: Route, *messages: NewMessage) -> Completion:
    """One question with every tool on offer."""
    return await client.complete(way, ModelRequest(messages=messages, tools=TOOLS))
