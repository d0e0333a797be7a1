"""What a request says about itself: its version and what its client can do, checked against its headers."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from perdure.faces.mcp.wire import (
    BAD_PARAMS,
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    INVALID_REQUEST,
    LEGACY,
    MODERN,
    PARSE,
    SESSION_HEADER,
    TASKS,
    UNSUPPORTED_VERSION,
    VERSION_HEADER,
    VERSION_KEY,
    VERSIONS,
    Message,
    RpcError,
    RpcId,
)

ELICITS = "-elicits"
"""How the name of a session ends whose client asks people. The name is all that there is of a session."""
_NAMES = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
_BASE64, _END = "=?base64?", "?="
_decoder = msgspec.json.Decoder(Message)


class Era(StrEnum):
    MODERN = "modern"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rpc:
    """One message, with what is to be known about whoever sent it."""

    message: Message
    era: Era
    elicits: bool = False
    """Whether the client asks its person for us."""
    tasks: bool = False
    """Whether the client takes a task instead of a result."""
    streams: bool = True
    """Whether the client reads an answer that comes piece by piece."""
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> RpcId | UnsetType:
        return self.message.id

    @property
    def params(self) -> dict[str, Any]:
        return self.message.params

    @property
    def modern(self) -> bool:
        return self.era is Era.MODERN

    @property
    def progress_token(self) -> RpcId | None:
        token = self.meta.get("progressToken")
        return token if isinstance(token, int | str) else None


def message_of(body: bytes) -> Message:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise RpcError(INVALID_REQUEST, f"This is not a valid message: {error}.", status=400) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RpcError(PARSE, "The body is not JSON.", status=400) from None


def rpc_of(message: Message, headers: Mapping[str, str]) -> Rpc:
    """The request, if its headers and what it says of itself agree."""
    meta, version = _object(message.params.get("_meta")), headers.get(VERSION_HEADER, "").strip()
    streams = "text/event-stream" in headers.get("accept", "") or "*/*" in headers.get("accept", "")
    if VERSION_KEY not in meta and version in ("", *LEGACY):
        # Legacy clients say what they can do once, and bring the name that they got for it.
        elicits = headers.get(SESSION_HEADER, "").endswith(ELICITS)
        return Rpc(message=message, era=Era.LEGACY, elicits=elicits, streams=streams, meta=meta)
    if message.id is not UNSET:
        _check(message, meta, version, headers)
    capabilities = _object(meta.get(CAPABILITIES_KEY))
    return Rpc(
        message=message,
        era=Era.MODERN,
        elicits=elicits_forms(capabilities),
        tasks=TASKS in _object(capabilities.get("extensions")),
        streams=streams,
        meta=meta,
    )


def elicits_forms(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client shows forms. One that does not say what it can show, shows those."""
    said = capabilities.get("elicitation")
    return isinstance(said, dict) and (not said or "form" in said)


def _check(message: Message, meta: Mapping[str, Any], version: str, headers: Mapping[str, str]) -> None:
    said = meta.get(VERSION_KEY)
    if version and said is None and version not in VERSIONS:
        raise _unsupported(version)
    if not isinstance(said, str):
        raise RpcError(BAD_PARAMS, f"_meta has no {VERSION_KEY}.", status=400)
    if version != said:
        raise _mismatch("MCP-Protocol-Version", version, said)
    if said != MODERN:
        raise _unsupported(said)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise RpcError(BAD_PARAMS, f"_meta has no {CAPABILITIES_KEY}.", status=400)
    method = headers.get("mcp-method", "").strip()
    if method != message.method:
        raise _mismatch("Mcp-Method", method, message.method)
    if (key := _NAMES.get(message.method)) is not None:
        name, wanted = _plain(headers.get("mcp-name", "").strip()), message.params.get(key)
        if name != wanted:
            raise _mismatch("Mcp-Name", name, str(wanted))


def _unsupported(version: str) -> RpcError:
    data = {"supported": list(VERSIONS), "requested": version}
    return RpcError(UNSUPPORTED_VERSION, "This version of the protocol is not spoken here.", status=400, data=data)


def _mismatch(header: str, value: str, wanted: str) -> RpcError:
    said = f"is {value!r}" if value else "is missing"
    return RpcError(HEADER_MISMATCH, f"The header {header} {said}, and the body says {wanted!r}.", status=400)


def _plain(value: str) -> str:
    if not (value.startswith(_BASE64) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_BASE64) : -len(_END)], validate=True).decode()
    except ValueError:
        raise RpcError(HEADER_MISMATCH, "The header Mcp-Name is not base64.", status=400) from None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]
