"""JSON-RPC as the Model Context Protocol has it: versions, names, error codes, and messages on the wire."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.api.http import Answer
from perdure.core.errors import PerdureError

MODERN = "2026-07-28"
"""Every request says all about itself."""
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
"""A handshake goes first."""
VERSIONS = (MODERN, *LEGACY)

VERSION_HEADER = "mcp-protocol-version"
SESSION_HEADER = "mcp-session-id"
META = "io.modelcontextprotocol/"
VERSION_KEY = f"{META}protocolVersion"
CAPABILITIES_KEY = f"{META}clientCapabilities"
SERVER_KEY = f"{META}serverInfo"
SUBSCRIPTION_KEY = f"{META}subscriptionId"
RELATED_TASK_KEY = f"{META}related-task"
TASKS = f"{META}tasks"
"""The extension by which a call may become a task."""

PARSE, INVALID_REQUEST, NO_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32020, -32021, -32022
UNAVAILABLE = -32000

RpcId = int | str
_encoder = msgspec.json.Encoder()


class Message(Struct, frozen=True, kw_only=True):
    """What a client sends: a request, a notification, or an answer to something that it was asked."""

    jsonrpc: Literal["2.0"]
    method: str = ""
    id: RpcId | UnsetType = UNSET
    params: dict[str, Any] = {}
    result: dict[str, Any] | UnsetType = UNSET
    error: dict[str, Any] | UnsetType = UNSET


class RpcError(PerdureError):
    """What is told as an error of the protocol, and not as the result of a tool."""

    def __init__(self, code: int, message: str, *, status: int = 200, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.data = data


def missing_capability(**capabilities: Any) -> RpcError:
    return RpcError(
        MISSING_CAPABILITY,
        "The client does not say that it has what this takes.",
        status=400,
        data={"requiredCapabilities": capabilities},
    )


def needs_tasks() -> RpcError:
    return missing_capability(extensions={TASKS: {}})


def encoded(message: dict[str, Any]) -> bytes:
    return _encoder.encode({"jsonrpc": "2.0", **message})


def frame(message: dict[str, Any]) -> bytes:
    """A message as a server-sent event."""
    return b"event: message\ndata: " + encoded(message) + b"\n\n"


def error_body(number: RpcId | UnsetType, error: RpcError) -> dict[str, Any]:
    data = {} if error.data is None else {"data": error.data}
    told = {"error": {"code": error.code, "message": str(error), **data}}
    return {"id": None if number is UNSET else number, **told}


def error_answer(number: RpcId | UnsetType, error: RpcError, *headers: tuple[str, str]) -> Answer:
    return answer_of(error_body(number, error), error.status, *headers)


def answer_of(message: dict[str, Any], status: int = 200, *headers: tuple[str, str]) -> Answer:
    return Answer(status, encoded(message), (("content-type", "application/json"), *headers))
