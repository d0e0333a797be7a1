"""How Anthropic says no: error types, wording, and the shape of the error document."""

import msgspec

from perdure.sim.document import Json, Path, Problem

INVALID = "invalid_request_error"

_FAULTS = {
    "invalid": (400, INVALID, "messages: Input should be a valid list"),
    "overflow": (400, INVALID, "prompt is too long: 208310 tokens > 200000 maximum"),
    "auth": (401, "authentication_error", "invalid x-api-key"),
    "forbidden": (403, "permission_error", "Your API key does not have permission to use the specified resource."),
    "not_found": (404, "not_found_error", "model: claude-none"),
    "timeout": (408, "timeout_error", "Request timed out"),
    "too_large": (413, "request_too_large", "Request exceeds the maximum size"),
    "rate_limit": (429, "rate_limit_error", "This request would exceed your organization's rate limit."),
    "quota": (
        400,
        INVALID,
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
    ),
    "server_error": (500, "api_error", "Internal server error"),
    "bad_gateway": (502, "api_error", "Bad gateway"),
    "unavailable": (503, "api_error", "Service unavailable"),
    "gateway_timeout": (504, "timeout_error", "Gateway timeout"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
}


class AnthropicErrors:
    """Errors in the manner of a validated model: the path, a colon, what should be there."""

    def missing(self, path: Path) -> Problem:
        return invalid(f"{where(path)}: Field required")

    def wrong_type(self, path: Path, expected: str, value: Json) -> Problem:  # noqa: ARG002
        wanted = {"object": "dictionary", "array": "list"}.get(expected, expected)
        return invalid(f"{where(path)}: Input should be a valid {wanted}")

    def not_among(self, path: Path, value: Json, allowed: tuple[str, ...]) -> Problem:  # noqa: ARG002
        return invalid(f"{where(path)}: Input should be {alternatives(allowed)}")

    def unknown(self, path: Path) -> Problem:
        return invalid(f"{where(path)}: Extra inputs are not permitted")

    def refusal(self, path: Path, message: str, code: str | None = None) -> Problem:  # noqa: ARG002
        return invalid(f"{where(path)}: {message}" if path else message)


def invalid(message: str) -> Problem:
    """The error for nearly everything that is wrong with a request."""
    return Problem(400, INVALID, message)


def fault(kind: str) -> Problem:
    """A scripted error."""
    status, name, message = _FAULTS[kind]
    return Problem(status, name, message)


def document(problem: Problem) -> bytes:
    """The error document, also used inside a stream."""
    error = {"type": problem.kind, "message": problem.message}
    return msgspec.json.encode({"type": "error", "error": error, "request_id": "req_sim"})


def where(path: Path) -> str:
    """A path with dots."""
    return ".".join(str(part) for part in path)


def alternatives(allowed: tuple[str, ...]) -> str:
    """'a', 'b' or 'c'"""
    quoted = [f"'{word}'" for word in allowed]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
