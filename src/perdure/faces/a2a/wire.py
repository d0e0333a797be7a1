"""What agents send, in the JSON of A2A 1.0; and its errors."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.core.errors import InvalidInput, NotFound, PerdureError, Refused
from perdure.faces.a2a.push import PushConfig

INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32600, -32601, -32602
NO_TASK, NOT_CANCELABLE, UNSUPPORTED, CONTENT_TYPE = -32001, -32002, -32004, -32005
NO_EXTENDED_CARD, WRONG_VERSION = -32007, -32009


class RpcRequest(Struct, frozen=True):
    jsonrpc: str
    method: str
    id: str | int | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")


class MessagePart(Struct, frozen=True, kw_only=True, rename="camel"):
    text: str | UnsetType = UNSET
    raw: str | UnsetType = UNSET
    """A file, as base64."""
    url: str | UnsetType = UNSET
    data: Any = UNSET
    filename: str | None = None
    media_type: str | None = None


class AgentMessage(Struct, frozen=True, kw_only=True, rename="camel"):
    message_id: str
    role: str
    parts: tuple[MessagePart, ...]
    context_id: str | None = None
    task_id: str | None = None


class SendConfiguration(Struct, frozen=True, kw_only=True, rename="camel"):
    return_immediately: bool = False
    task_push_notification_config: PushConfig | None = None


class SendParams(Struct, frozen=True, kw_only=True):
    message: AgentMessage
    configuration: SendConfiguration = SendConfiguration()


class TaskParams(Struct, frozen=True):
    id: str


class A2aError(PerdureError):
    """What the protocol has a code for."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def code_of(error: PerdureError) -> int | None:
    """The protocol's code for what went wrong; None where the HTTP status says it."""
    match error:
        case A2aError():
            return error.code
        case NotFound():
            return NO_TASK
        case InvalidInput():
            return INVALID_PARAMS
        case Refused():
            return UNSUPPORTED
        case _:
            return None
