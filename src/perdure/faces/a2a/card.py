"""The agent card: what other agents read to learn where ours is, and how to speak to it."""

from importlib.metadata import version
from typing import Any

from perdure.api.http import Answer, Call, Receive, Scope, Send
from perdure.api.services import Services

PATH = "/.well-known/agent-card.json"
PROTOCOL_VERSION = "1.0"
DEFAULT = "default"
"""The agent that answers with the deployment's default model."""


def card_of(address: str, agent: str) -> dict[str, Any]:
    modes = ["text/plain"]
    return {
        "name": "Perdure" if agent == DEFAULT else f"Perdure: {agent}",
        "description": "An agent whose conversations are durable: a task goes on whatever dies, and can be read again.",
        "version": version("perdure"),
        "supportedInterfaces": [
            {"url": f"{address}/a2a/{agent}", "protocolBinding": "JSONRPC", "protocolVersion": PROTOCOL_VERSION}
        ],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": False},
        "securitySchemes": {"token": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
        "securityRequirements": [{"schemes": {"token": {"list": []}}}],
        "defaultInputModes": modes,
        "defaultOutputModes": modes,
        "skills": [
            {"id": "chat", "name": "Chat", "description": "Answers, and works with its tools.", "tags": ["chat"]}
        ],
    }


class AgentCard:
    """Answers at the well-known address. Anybody may ask: it says nothing that a token is needed for."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = Call.of(scope, receive)
        headers = (("cache-control", "no-store"), ("access-control-allow-origin", "*"))
        await Answer.json(200, card_of(self._services.address(call), DEFAULT), *headers).send(send)
