"""How Google says no: canonical codes, wording, and the shape of the error document."""

import re

import msgspec

from perdure.sim.document import Json, Path, Problem

INVALID = "INVALID_ARGUMENT"

_FAULTS = {
    "invalid": (400, INVALID, "Request contains an invalid argument."),
    "overflow": (
        400,
        INVALID,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "auth": (400, INVALID, "API key not valid. Please pass a valid API key."),
    "forbidden": (403, "PERMISSION_DENIED", "The caller does not have permission"),
    "not_found": (404, "NOT_FOUND", "models/none is not found for API version v1beta."),
    "timeout": (408, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    "too_large": (413, INVALID, "Request payload size exceeds the limit: 20971520 bytes."),
    "rate_limit": (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    "quota": (
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
    ),
    "server_error": (500, "INTERNAL", "An internal error has occurred. Please retry or report."),
    "bad_gateway": (502, "UNAVAILABLE", "Bad gateway"),
    "unavailable": (503, "UNAVAILABLE", "The service is currently unavailable."),
    "gateway_timeout": (504, "DEADLINE_EXCEEDED", "The request timed out. Please try again."),
    "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
}
_TYPES = {"string": "TYPE_STRING", "integer": "TYPE_INT32", "number": "TYPE_FLOAT", "boolean": "TYPE_BOOL"}


class GeminiErrors:
    """Errors of a protocol buffer read from JSON, and of the service behind it."""

    def missing(self, path: Path) -> Problem:
        return violation(path, f"{snake(str(path[-1]))} is not specified")

    def wrong_type(self, path: Path, expected: str, value: Json) -> Problem:
        shown = msgspec.json.encode(value).decode()
        if expected in ("object", "array"):
            what = "Proto field is not repeating, cannot start list." if expected == "object" else "cannot find field."
            return payload(f'Unknown name "{path[-1] if path else ""}"{_at(path[:-1])}: {what}', path)
        return payload(f"Invalid value at '{where(path)}' ({_TYPES[expected]}), {shown}", path)

    def not_among(self, path: Path, value: Json, allowed: tuple[str, ...]) -> Problem:  # noqa: ARG002
        shown = msgspec.json.encode(value).decode()
        return payload(f"Invalid value at '{where(path)}' (type.googleapis.com/google.ai.Enum), {shown}", path)

    def unknown(self, path: Path) -> Problem:
        return payload(f'Unknown name "{path[-1]}"{_at(path[:-1])}: Cannot find field.', path)

    def refusal(self, path: Path, message: str, code: str | None = None) -> Problem:  # noqa: ARG002
        return violation(path, message) if path else invalid(message)


def invalid(message: str) -> Problem:
    """A request that the service does not take."""
    return Problem(400, INVALID, message)


def violation(path: Path, message: str) -> Problem:
    """A field that the service does not take."""
    return invalid(f"* GenerateContentRequest.{where(path)}: {message}\n")


def payload(message: str, path: Path) -> Problem:
    """JSON that does not fit the request's type."""
    fields = [{"field": where(path[:-1]), "description": f"Invalid JSON payload received. {message}"}]
    detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": fields}
    return Problem(400, INVALID, f"Invalid JSON payload received. {message}", details=(detail,))


def fault(kind: str) -> Problem:
    """A scripted error, with the details that Google adds to some."""
    status, name, message = _FAULTS[kind]
    details: tuple[dict[str, object], ...] = ()
    if kind == "auth":
        details = (_info("API_KEY_INVALID"),)
    if kind == "rate_limit":
        details = ({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"},)
    return Problem(status, name, message, details=details)


def unauthorized(key: str | None) -> Problem:
    """A missing key is forbidden, a wrong one is an invalid argument: that is what Google answers."""
    if key is not None:
        return fault("auth")
    message = (
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other "
        "form of API consumer identity to call this API."
    )
    return Problem(403, "PERMISSION_DENIED", message)


def no_model(model: str, method: str) -> Problem:
    """A model that is not there."""
    message = (
        f"models/{model} is not found for API version v1beta, or is not supported for {method}. "
        "Call ListModels to see the list of available models and their supported methods."
    )
    return Problem(404, "NOT_FOUND", message)


def document(problem: Problem) -> bytes:
    """The error document, also used inside a stream."""
    error: dict[str, object] = {"code": problem.status, "message": problem.message, "status": problem.kind}
    if problem.details:
        error["details"] = list(problem.details)
    return msgspec.json.encode({"error": error})


def where(path: Path) -> str:
    """A path with the names of the protocol buffer."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{snake(part)}" for part in path).removeprefix(".")


def snake(name: str) -> str:
    """CamelCase as snake_case"""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower() if not name.startswith("$") else name


def _at(path: Path) -> str:
    return f" at '{where(path)}'" if path else ""


def _info(reason: str) -> dict[str, object]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }
