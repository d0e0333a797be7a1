"""Amazon Bedrock: Anthropic's models behind Amazon's keys, errors and binary framing."""

import re
import struct
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from zlib import crc32

import msgspec

from perdure.sim.anthropic.errors import invalid
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.ask import Ask
from perdure.sim.clouds.body import closed, opened, take_version
from perdure.sim.document import Json, Problem, is_object
from perdure.sim.event_writer import Action
from perdure.sim.script import Step
from perdure.sim.wire import Request

_PRELUDE = struct.Struct(">II")
_WORD = struct.Struct(">I")
_STRING = 7


def chunk(event: bytes) -> bytes:
    """An event of the model, wrapped."""
    payload = msgspec.json.encode({"bytes": b64encode(event).decode(), "p": "abcdefghijkl"})
    headers = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    return message(headers, payload)


def failure(kind: str, text: str) -> bytes:
    """An error in the middle of a stream."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, msgspec.json.encode({"message": text}))


def message(headers: dict[str, str], payload: bytes) -> bytes:
    """One message: lengths, their checksum, headers, payload, the checksum of it all."""
    packed = b"".join(_header(name, value) for name, value in headers.items())
    prelude = _PRELUDE.pack(len(packed) + len(payload) + 16, len(packed))
    body = prelude + _WORD.pack(crc32(prelude)) + packed + payload
    return body + _WORD.pack(crc32(body))


def _header(name: str, value: str) -> bytes:
    return struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", _STRING, len(value)) + value.encode()


STREAMED = "/invoke-with-response-stream"
SERVER_RUN = ("web_search_", "web_fetch_", "code_execution_")

_SIGNED = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/,]+)/\d{8}/[a-z0-9-]+/bedrock/aws4_request, ?"
    r"SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, ?Signature=[0-9a-f]{64}"
)
_KINDS = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    413: "ValidationException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
    529: "ServiceUnavailableException",
}


class Bedrock(Anthropic):
    """POST /model/{model}/invoke and /model/{model}/invoke-with-response-stream."""

    name = "bedrock"
    content_type = "application/vnd.amazon.eventstream"

    def key(self, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:  # noqa: ARG002
        """The id of the key that signed, or a bearer token. Without the secret no signature can be checked."""
        value = headers.get("authorization", "")
        signed = _SIGNED.fullmatch(value)
        if signed is not None and "x-amz-date" in headers:
            return signed[1]
        return value[7:] if value.lower().startswith("bearer ") else None

    def unauthorized(self, key: str | None) -> Problem:
        if key is None:
            return Problem(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        return Problem(403, "UnrecognizedClientException", "The security token included in the request is invalid.")

    def read(self, request: Request) -> Ask:
        body = opened(request)
        take_version(body, "bedrock", invalid("anthropic_version: Field required"))
        for name in ("model", "stream"):
            if name in body:
                raise invalid(
                    f"Malformed input request: #: extraneous key [{name}] is not permitted, please reformat your "
                    "input and try again."
                )
        _check_tools(body.get("tools"))
        betas = body.pop("anthropic_beta", None)
        if body:
            body["model"] = request.path.removeprefix("/model/").rpartition("/")[0]
            body["stream"] = request.path.endswith(STREAMED)
        return self.read_checked(_asking_for(closed(request, body), betas))

    def fault(self, kind: str) -> Problem:
        problem = super().fault(kind)
        if problem.status == 529:
            return Problem(503, "ServiceUnavailableException", "Bedrock is unable to process your request.")
        if problem.status == 429:
            problem.message = "Too many requests, please wait before trying again."
        return problem

    def error(self, problem: Problem) -> bytes:
        return msgspec.json.encode({"message": problem.message})

    def error_headers(self, problem: Problem) -> dict[str, str]:
        kind = problem.kind if problem.kind.endswith("Exception") else _KINDS.get(problem.status, "ValidationException")
        return {"x-amzn-errortype": kind}

    def headers(self, ask: Ask) -> dict[str, str]:
        return {"x-amzn-requestid": ask.id}

    def stream(self, ask: Ask, step: Step) -> Iterator[Action]:
        for action in super().stream(ask, step):
            yield _framed(action) if isinstance(action, bytes) else action


def _asking_for(request: Request, betas: Json) -> Request:
    """The request with the features in trial where Anthropic looks for them; here the header counts for nothing."""
    asked = ",".join(str(beta) for beta in betas) if isinstance(betas, list) else ""
    headers = {name: value for name, value in request.headers.items() if name != "anthropic-beta"}
    return replace(request, headers={**headers, "anthropic-beta": asked})


def _check_tools(tools: Json) -> None:
    """Amazon runs none of Anthropic's own tools."""
    for index, tool in enumerate(tools if isinstance(tools, list) else []):
        kind = tool.get("type") if is_object(tool) else None
        if isinstance(kind, str) and kind.startswith(SERVER_RUN):
            known = "'bash_20250124', 'custom', 'memory_20250818', 'text_editor_20250728'"
            raise invalid(
                f"tools.{index}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {known}"
            )


def _framed(event: bytes) -> bytes:
    """A server-sent event as Amazon sends it."""
    name, _, data = event.partition(b"\ndata: ")
    data = data.rstrip()
    if name != b"event: error":
        return chunk(data)
    error = msgspec.json.decode(data)["error"]
    kind = "throttlingException" if error["type"] == "rate_limit_error" else "serviceUnavailableException"
    return failure(kind, error["message"])
