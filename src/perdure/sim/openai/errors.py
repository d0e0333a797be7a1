"""How OpenAI says no: wording, codes and parameters, and the shape of the error document."""

from collections.abc import Mapping

import msgspec

from perdure.sim.document import Json, Path, Problem, type_name

INVALID = "invalid_request_error"

_SORRY = "The server had an error while processing your request. Sorry about that!"
_FAULTS = {
    "invalid": (400, INVALID, "invalid_value", "Invalid value for 'messages'."),
    "overflow": (400, INVALID, "context_length_exceeded", "This model's maximum context length is 128000 tokens."),
    "auth": (401, INVALID, "invalid_api_key", "Incorrect API key provided."),
    "forbidden": (403, INVALID, "unsupported_country_region_territory", "Country, region, or territory not supported"),
    "not_found": (404, INVALID, "model_not_found", "The model `none` does not exist or you do not have access to it."),
    "timeout": (408, "timeout", None, "Request timed out."),
    "too_large": (413, INVALID, None, "Request body too large."),
    "rate_limit": (429, "requests", "rate_limit_exceeded", "Rate limit reached for requests per min (RPM): Limit 3."),
    "quota": (
        429,
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota, please check your plan.",
    ),
    "server_error": (500, "server_error", "server_error", _SORRY),
    "bad_gateway": (502, "server_error", None, "Bad gateway."),
    "unavailable": (503, "server_error", None, "The engine is currently overloaded, please try again later"),
    "gateway_timeout": (504, "server_error", None, "Gateway timeout."),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded", "Our servers are currently overloaded."),
}
_ARTICLES = {"object": "an object", "array": "an array", "integer": "an integer", "number": "a decimal", "null": "null"}


class OpenAIErrors:
    """Errors with a message, a type, a parameter and a code."""

    def missing(self, path: Path) -> Problem:
        return invalid(f"Missing required parameter: '{where(path)}'.", path, "missing_required_parameter")

    def wrong_type(self, path: Path, expected: str, value: Json) -> Problem:
        got = with_article(type_name(value))
        message = f"Invalid type for '{where(path)}': expected {with_article(expected)}, but got {got} instead."
        return invalid(message, path, "invalid_type")

    def not_among(self, path: Path, value: Json, allowed: tuple[str, ...]) -> Problem:
        if not isinstance(value, str):
            return self.wrong_type(path, f"one of {listed(allowed)}", value)
        message = f"Invalid value: '{value}'. Supported values are: {listed(allowed)}."
        return invalid(message, path, "invalid_value")

    def unknown(self, path: Path) -> Problem:
        return invalid(f"Unknown parameter: '{where(path)}'.", path, "unknown_parameter")

    def refusal(self, path: Path, message: str, code: str | None = None) -> Problem:
        return invalid(message, path, code)


def invalid(message: str, path: Path | str | None = None, code: str | None = None) -> Problem:
    """The error for nearly everything that is wrong with a request."""
    return Problem(400, INVALID, message, param=where(path) if isinstance(path, tuple) else path, code=code)


def fault(kind: str) -> Problem:
    """A scripted error."""
    status, name, code, message = _FAULTS[kind]
    return Problem(status, name, message, code=code)


def unauthorized(key: str | None) -> Problem:
    """A missing or a wrong key; of a wrong one only its ends are shown."""
    if key is None:
        message = (
            "You didn't provide an API key. You need to provide your API key in an Authorization header using "
            "Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
        )
        return Problem(401, INVALID, message)
    shown = f"{key[:4]}{'*' * 8}{key[-4:]}" if len(key) > 8 else "*" * len(key)
    message = f"Incorrect API key provided: {shown}. You can find your API key in your account settings."
    return Problem(401, INVALID, message, code="invalid_api_key")


def no_model(model: str) -> Problem:
    """A model that is not there."""
    message = f"The model `{model}` does not exist or you do not have access to it."
    return Problem(404, INVALID, message, code="model_not_found")


def document(problem: Problem) -> bytes:
    """The error document."""
    return msgspec.json.encode({"error": error(problem)})


def error(problem: Problem) -> dict[str, Json]:
    """What is inside the error document."""
    return {"message": problem.message, "type": problem.kind, "param": problem.param, "code": problem.code}


def bearer(headers: Mapping[str, str]) -> str | None:
    """The caller's key: a bearer token, or the header that Azure uses."""
    value = headers.get("authorization", "")
    return headers.get("api-key") or (value[7:].strip() if value.lower().startswith("bearer ") else None) or None


def parsed(body: bytes) -> Json:
    """The request's JSON."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid("We could not parse the JSON body of your request.") from error


def where(path: Path) -> str:
    """A path with brackets around numbers."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def listed(words: tuple[str, ...]) -> str:
    """'a', 'b', and 'c'"""
    quoted = [f"'{word}'" for word in words]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def with_article(name: str) -> str:
    """A JSON type in a sentence."""
    return name if name.startswith("one of") else _ARTICLES.get(name, f"a {name}")
